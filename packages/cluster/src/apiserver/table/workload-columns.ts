import type { DynamicObject } from '@coxswain/k8s';
import { given, listAt, mapAt, objectAt, objectsAt, textAt } from '../builtin/shared/draft.ts';
import { selectorText } from '../builtin/shared/selectors.ts';
import type { Column } from '../types.ts';
import {
  age,
  column,
  count,
  labelsText,
  name,
  orNone,
  plainSelectorColumn,
  selectorColumn,
  specOf,
  statusOf,
  templateOf,
  wide,
  workloadColumns,
} from './cells.ts';
import { ageOf, humanDuration } from './human-duration.ts';

const fromStatus = (title: string, key: string) => column(title, (object) => count(statusOf(object), key), 'integer');
const readyOf = (object: DynamicObject) =>
  `${count(statusOf(object), 'readyReplicas')}/${count(specOf(object), 'replicas')}`;

const replicaColumns: readonly Column[] = [
  name,
  column('Desired', (object) => count(specOf(object), 'replicas'), 'integer'),
  fromStatus('Current', 'replicas'),
  fromStatus('Ready', 'readyReplicas'),
  age,
  ...workloadColumns(templateOf),
];

function hasCondition(job: DynamicObject, type: string): boolean {
  return objectsAt(statusOf(job), 'conditions').some((entry) => entry.type === type && entry.status === 'True');
}

function jobStatus(job: DynamicObject): string {
  if (hasCondition(job, 'Complete')) return 'Complete';
  if (hasCondition(job, 'Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => hasCondition(job, type)) ?? 'Running';
}

function completions(job: DynamicObject): string {
  const done = count(statusOf(job), 'succeeded');
  const { completions: wanted } = specOf(job);
  if (given(wanted)) return `${done}/${String(wanted)}`;
  const parallel = count(specOf(job), 'parallelism');
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`;
}

function jobDuration(job: DynamicObject, now: number): string {
  const start = textAt(statusOf(job), 'startTime');
  if (start === '') return '';
  const end = textAt(statusOf(job), 'completionTime');
  return humanDuration((end === '' ? now : Date.parse(end)) - Date.parse(start));
}

function controllerOf(object: DynamicObject): string {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller);
  if (!owner) return '<none>';
  const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
  return `${owner.kind}${group}/${owner.name}`.replace(/^[^/]*/, (kind) => kind.toLowerCase());
}

const jobTemplateOf = (object: DynamicObject) => objectAt(objectAt(specOf(object), 'jobTemplate'), 'spec');

/** Columns of what runs pods, by `group/plural`. */
export const workloadTables: Readonly<Record<string, readonly Column[]>> = {
  'apps/deployments': [
    name,
    column('Ready', readyOf),
    column('Up-to-date', (object) => count(statusOf(object), 'updatedReplicas')),
    column('Available', (object) => count(statusOf(object), 'availableReplicas')),
    age,
    ...workloadColumns(templateOf),
    selectorColumn,
  ],
  'apps/statefulsets': [name, column('Ready', readyOf), age, ...workloadColumns(templateOf)],
  'apps/replicasets': [...replicaColumns, selectorColumn],
  '/replicationcontrollers': [...replicaColumns, plainSelectorColumn],
  'apps/daemonsets': [
    name,
    fromStatus('Desired', 'desiredNumberScheduled'),
    fromStatus('Current', 'currentNumberScheduled'),
    fromStatus('Ready', 'numberReady'),
    fromStatus('Up-to-date', 'updatedNumberScheduled'),
    fromStatus('Available', 'numberAvailable'),
    column('Node Selector', (object) => labelsText(mapAt(objectAt(templateOf(object), 'spec'), 'nodeSelector'))),
    age,
    ...workloadColumns(templateOf),
    selectorColumn,
  ],
  'apps/controllerrevisions': [
    name,
    column('Controller', controllerOf),
    column('Revision', (object) => count(object, 'revision')),
    age,
  ],
  'batch/jobs': [
    name,
    column('Status', jobStatus),
    column('Completions', completions),
    column('Duration', jobDuration),
    age,
    ...workloadColumns(templateOf),
    selectorColumn,
  ],
  'batch/cronjobs': [
    name,
    column('Schedule', (object) => textAt(specOf(object), 'schedule')),
    column('Timezone', (object) => orNone(textAt(specOf(object), 'timeZone'))),
    column('Suspend', (object) => (specOf(object).suspend === true ? 'True' : 'False'), 'boolean'),
    column('Active', (object) => listAt(statusOf(object), 'active').length, 'integer'),
    column('Last Schedule', (object, now) => {
      const last = statusOf(object).lastScheduleTime;
      return given(last) ? ageOf(last, now) : '<none>';
    }),
    age,
    ...workloadColumns((object) => objectAt(jobTemplateOf(object), 'template')),
    wide('Selector', (object) => orNone(selectorText(objectAt(jobTemplateOf(object), 'selector')))),
  ],
  '/podtemplates': [
    name,
    ...workloadColumns((object) => objectAt(object, 'template')).map(({ priority: _, ...rest }) => rest),
    column('Pod Labels', (object) => labelsText(mapAt(objectAt(objectAt(object, 'template'), 'metadata'), 'labels'))),
  ],
};
