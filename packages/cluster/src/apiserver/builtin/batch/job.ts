import type { MutableJson } from '@coxswain/k8s';
import type { Strategy } from '../../types.ts';
import { defaultPodTemplate, templateLabels } from '../pod/default-spec.ts';
import { workloadWarnings } from '../pod/warnings.ts';
import { copyJson, ensureObject, fill, given, mapAt, objectAt, objectsAt } from '../shared/draft.ts';
import { labelValue } from '../shared/names.ts';
import { validateJobUpdate } from './job-update.ts';
import { validateJob, validateJobName, validateNewJob } from './validate-job.ts';

/** Fills a JobSpec, in a Job and in a CronJob's template. */
export function defaultJobSpec(spec: MutableJson): void {
  if (!given(spec.completions) && !given(spec.parallelism)) spec.completions = 1;
  fill(spec, 'parallelism', 1);
  fill(spec, 'backoffLimit', given(spec.backoffLimitPerIndex) ? 2147483647 : 6);
  fill(spec, 'completionMode', 'NonIndexed');
  fill(spec, 'suspend', false);
  fill(spec, 'podReplacementPolicy', objectAt(spec, 'podFailurePolicy') ? 'Failed' : 'TerminatingOrFailed');
  fill(spec, 'manualSelector', false);
  for (const rule of objectsAt(objectAt(spec, 'podFailurePolicy'), 'rules')) {
    for (const pattern of objectsAt(rule, 'onPodConditions')) fill(pattern, 'status', 'True');
  }
  defaultPodTemplate(ensureObject(spec, 'template'));
}

function defaultJob(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  const labels = templateLabels(objectAt(spec, 'template'));
  const metadata = ensureObject(draft, 'metadata');
  if (labels && Object.keys(mapAt(metadata, 'labels')).length === 0) metadata.labels = copyJson(labels);
  defaultJobSpec(spec);
  ensureObject(draft, 'status');
}

/** Unless the user takes charge, the selector and its labels come from the job's own uid. */
function generateSelector(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  if (spec.manualSelector === true) return;
  const metadata = ensureObject(draft, 'metadata');
  const { name, uid } = metadata;
  const labels = ensureObject(ensureObject(ensureObject(spec, 'template'), 'metadata'), 'labels');
  fill(labels, 'controller-uid', uid);
  fill(labels, 'job-name', name);
  fill(labels, 'batch.kubernetes.io/controller-uid', uid);
  fill(labels, 'batch.kubernetes.io/job-name', name);
  // Names that are no labels are refused at the template.
  const good = labelValue(String(name)).length === 0;
  if (good && Object.keys(mapAt(metadata, 'labels')).length === 0) metadata.labels = copyJson(labels);
  const selector = ensureObject(spec, 'selector');
  fill(ensureObject(selector, 'matchLabels'), 'batch.kubernetes.io/controller-uid', uid);
}

export const jobStrategy: Strategy = {
  default: defaultJob,
  prepareCreate(draft) {
    draft.status = {};
    generateSelector(draft);
  },
  validateCreate: (object) => [...validateNewJob(object), ...validateJob(object), ...validateJobName(object)],
  validateUpdate: (object, old, { subresource }) =>
    subresource === '' ? [...validateJob(object), ...validateJobUpdate(object, old), ...validateJobName(object)] : [],
  warnings: workloadWarnings,
};
