import type { DynamicObject, KubeObject } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import type { StorageSubscription } from '../../storage/types.ts';
import { flowSchemas, priorityLevels } from '../builtin/flowcontrol/defaults.ts';
import { objectAt, objectsAt, sameJson, textAt } from '../builtin/shared/draft.ts';
import type { BootstrapObject } from './objects.ts';
import type { BootstrapContext } from './write.ts';

const group = 'flowcontrol.apiserver.k8s.io';
const apiVersion = `${group}/v1`;
const schemasAt = `${group}/flowschemas`;
const levelsAt = `${group}/prioritylevelconfigurations`;
const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' };

function objectsOf(kind: string, resource: string, specs: Readonly<Record<string, object>>): BootstrapObject[] {
  return Object.entries(specs).map(([name, spec]) => ({
    resource,
    object: { apiVersion, kind, metadata: { name, annotations }, spec },
    manager: 'api-priority-and-fairness-config-producer-v1',
  }));
}

/** What every cluster has of flow control. */
export const flowControlObjects: readonly BootstrapObject[] = [
  ...objectsOf('PriorityLevelConfiguration', levelsAt, priorityLevels),
  ...objectsOf('FlowSchema', schemasAt, flowSchemas),
];

/** Who says in a schema's status whether its level is there. */
const claim = {
  manager: 'api-priority-and-fairness-config-consumer-v1',
  operation: 'Apply',
  apiVersion,
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:status': {
      'f:conditions': {
        'k:{"type":"Dangling"}': {
          '.': {},
          'f:lastTransitionTime': {},
          'f:message': {},
          'f:reason': {},
          'f:status': {},
          'f:type': {},
        },
      },
    },
  },
  subresource: 'status',
} as const;

/** The schema with what is true of its level, or the same schema when it says so already. */
function judged({ storage, clock }: BootstrapContext, schema: DynamicObject): DynamicObject {
  const level = textAt(objectAt(objectAt(schema, 'spec'), 'priorityLevelConfiguration'), 'name');
  const found = storage.get({ resource: levelsAt, namespace: '', name: level }) !== undefined;
  const words = found ? 'and it exists' : 'but there is no such object';
  const told = {
    type: 'Dangling',
    status: found ? 'False' : 'True',
    reason: found ? 'Found' : 'NotFound',
    message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} ${words}`,
  };
  const conditions = objectsAt(objectAt(schema, 'status'), 'conditions');
  const before = conditions.find(({ type }) => type === 'Dangling');
  const { lastTransitionTime = undefined, ...rest } = before ?? {};
  if (sameJson(rest, told)) return schema;
  const now = formatTime(clock.now());
  const since = before?.status === told.status ? lastTransitionTime : now;
  const others = conditions.filter(({ type }) => type !== 'Dangling');
  const { type, status, ...why } = told;
  const own = { ...claim, time: now };
  const managed = (schema.metadata.managedFields ?? []).filter(({ manager }) => manager !== claim.manager);
  return {
    ...schema,
    metadata: { ...schema.metadata, managedFields: [own, ...managed] },
    status: { conditions: [...others, { type, status, lastTransitionTime: since, ...why }] },
  };
}

/** Keeps in the status of every flow schema whether its priority level is there. */
export function installFlowControl(context: BootstrapContext): StorageSubscription {
  const { storage } = context;
  const judge = (schema: DynamicObject) => {
    const next = judged(context, schema);
    const key = { resource: schemasAt, namespace: '', name: schema.metadata.name };
    if (next !== schema) storage.put(key, next as KubeObject);
  };
  const judgeAll = () => {
    for (const schema of storage.list(schemasAt).objects) judge(schema as DynamicObject);
  };
  judgeAll();
  const subscriptions = [
    storage.subscribe(schemasAt, storage.revision, ({ type, key }) => {
      const schema = storage.get(key);
      if (type !== 'deleted' && schema) judge(schema as DynamicObject);
    }),
    storage.subscribe(levelsAt, storage.revision, ({ type }) => {
      if (type !== 'updated') judgeAll();
    }),
  ];
  return {
    cancel() {
      for (const subscription of subscriptions) subscription.cancel();
    },
  };
}
