import type { DynamicObject, KubeObject } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import type { StorageSubscription } from '../../storage/types.ts';
import { flowSchemas, priorityLevels } from '../builtin/flowcontrol/defaults.ts';
import { objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../builtin/shared/draft.ts';
import { appliedCondition, written } from './managed-fields.ts';
import { type BootstrapContext, ensureComplete } from './write.ts';

const group = 'flowcontrol.apiserver.k8s.io';
const apiVersion = `${group}/v1`;
const schemasAt = `${group}/flowschemas`;
const levelsAt = `${group}/prioritylevelconfigurations`;
const mark = 'apf.kubernetes.io/autoupdate-spec';

const producer = 'api-priority-and-fairness-config-producer-v1';
/** Who says in a schema's status whether its level is there. */
const consumer = appliedCondition('api-priority-and-fairness-config-consumer-v1', apiVersion, 'Dangling');

/** The spec of a bootstrap object, as its owner owns it: pointers with what they point to, lists whole. */
function specFields(spec: ReadJson): ReadJson {
  const pointers = new Set(['distinguisherMethod', 'limited', 'exempt', 'limitResponse', 'queuing']);
  const entries = Object.entries(spec).map(([key, value]): [string, object] => {
    const parts = objectAt(spec, key);
    if (!parts || Array.isArray(value)) return [`f:${key}`, {}];
    return [`f:${key}`, { ...(pointers.has(key) ? { '.': {} } : {}), ...specFields(parts) }];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function produced(spec: ReadJson) {
  const annotations = { '.': {}, [`f:${mark}`]: {} };
  return written(producer, apiVersion, { 'f:metadata': { 'f:annotations': annotations }, 'f:spec': specFields(spec) });
}

const metadataOf = (name: string) => ({ name, generation: 1, annotations: { [mark]: 'true' } });

/** Makes the levels and schemas that every cluster has. */
function ensureDefaults(context: BootstrapContext): void {
  for (const [name, spec] of Object.entries(priorityLevels)) {
    const object = { apiVersion, kind: 'PriorityLevelConfiguration', metadata: metadataOf(name), spec, status: {} };
    ensureComplete(context, { resource: levelsAt, object }, [produced(spec)]);
  }
  const since = formatTime(context.clock.now());
  for (const [name, spec] of Object.entries(flowSchemas)) {
    const status = { conditions: [conditionOf(told(context, spec), since)] };
    const object = { apiVersion, kind: 'FlowSchema', metadata: metadataOf(name), spec, status };
    ensureComplete(context, { resource: schemasAt, object }, [consumer, produced(spec)]);
  }
}

/** What is true of a schema's level. */
function told({ storage }: BootstrapContext, spec: ReadJson | undefined): Readonly<Record<string, string>> {
  const level = textAt(objectAt(spec, 'priorityLevelConfiguration'), 'name');
  const found = storage.get({ resource: levelsAt, namespace: '', name: level }) !== undefined;
  const words = found ? 'and it exists' : 'but there is no such object';
  return {
    type: 'Dangling',
    status: found ? 'False' : 'True',
    reason: found ? 'Found' : 'NotFound',
    message: `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} ${words}`,
  };
}

function conditionOf(
  { type, status, ...why }: Readonly<Record<string, string>>,
  lastTransitionTime: unknown,
): ReadJson {
  return { type, status, lastTransitionTime, ...why };
}

/** The schema with what is true of its level, or the same schema when it says so already. */
function judged(context: BootstrapContext, schema: DynamicObject): DynamicObject {
  const truth = told(context, objectAt(schema, 'spec'));
  const conditions = objectsAt(objectAt(schema, 'status'), 'conditions');
  const before = conditions.find(({ type }) => type === 'Dangling');
  const { lastTransitionTime = undefined, ...rest } = before ?? {};
  if (sameJson(rest, truth)) return schema;
  const now = formatTime(context.clock.now());
  const since = before?.status === truth.status ? lastTransitionTime : now;
  const others = conditions.filter(({ type }) => type !== 'Dangling');
  const kept = (schema.metadata.managedFields ?? []).filter(({ manager }) => manager !== consumer.manager);
  return {
    ...schema,
    metadata: { ...schema.metadata, managedFields: [{ ...consumer, time: now }, ...kept] },
    status: { conditions: [...others, conditionOf(truth, since)] },
  };
}

/** Makes what every cluster has of flow control, and keeps in the status of every schema whether its level is there. */
export function installFlowControl(context: BootstrapContext): StorageSubscription {
  const { storage } = context;
  ensureDefaults(context);
  const judge = (schema: DynamicObject) => {
    const next = judged(context, schema);
    const key = { resource: schemasAt, namespace: '', name: schema.metadata.name };
    if (next !== schema) storage.put(key, next as KubeObject);
  };
  const judgeAll = () => {
    for (const schema of storage.list(schemasAt).objects) judge(schema as DynamicObject);
  };
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
