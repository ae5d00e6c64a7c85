import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { defaultPodTemplate, templateLabels } from '../pod/default-spec.ts';
import { validatePodTemplate } from '../pod/validate-template.ts';
import {
  copyJson,
  ensureObject,
  fill,
  given,
  mapAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { selectsLabels, validateLabelSelector } from '../shared/selectors.ts';
import { nonNegative, unchanged } from '../shared/values.ts';

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
  labels['controller-uid'] = uid;
  labels['job-name'] = name;
  labels['batch.kubernetes.io/controller-uid'] = uid;
  labels['batch.kubernetes.io/job-name'] = name;
  if (Object.keys(mapAt(metadata, 'labels')).length === 0) metadata.labels = copyJson(labels);
  const selector = ensureObject(spec, 'selector');
  ensureObject(selector, 'matchLabels')['batch.kubernetes.io/controller-uid'] = uid;
}

const policies = ['OnFailure', 'Never'];

/** The parts of a JobSpec that do not depend on its selector. */
export function validateJobSpec(spec: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
  ]) {
    errors.push(...nonNegative(spec[key], `${field}.${key}`));
  }
  if (spec.completionMode === 'Indexed' && !given(spec.completions)) {
    errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  }
  if (!['Indexed', 'NonIndexed'].includes(textAt(spec, 'completionMode'))) {
    errors.push(notSupported(`${field}.completionMode`, spec.completionMode, ['NonIndexed', 'Indexed']));
  }
  errors.push(...validatePodTemplate(objectAt(spec, 'template'), `${field}.template`));
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  if (policy === 'Always') {
    errors.push(required(`${field}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  } else if (!policies.includes(policy)) {
    errors.push(notSupported(`${field}.template.spec.restartPolicy`, policy, policies));
  }
  return errors;
}

function validateJob(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const selector = objectAt(spec, 'selector');
  const errors = [...validateJobSpec(spec, 'spec')];
  if (!selector) return [...errors, required('spec.selector')];
  errors.push(...validateLabelSelector(selector, 'spec.selector'));
  const labels = mapAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  if (!selectsLabels(selector, labels)) {
    errors.push(invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  return errors;
}

/** Scheduling directives of a template that a suspended, never started job may still change. */
function withOldDirectives(template: ReadJson | undefined, old: ReadJson | undefined): unknown {
  const copy = copyJson(template ?? {}) as MutableJson;
  const spec = ensureObject(copy, 'spec');
  const before = objectAt(old, 'spec') ?? {};
  for (const key of ['nodeSelector', 'affinity', 'tolerations', 'schedulingGates']) {
    if (before[key] === undefined) delete spec[key];
    else spec[key] = before[key];
  }
  const metadata = ensureObject(copy, 'metadata');
  const oldMetadata = objectAt(old, 'metadata') ?? {};
  for (const key of ['labels', 'annotations']) {
    if (oldMetadata[key] === undefined) delete metadata[key];
    else metadata[key] = oldMetadata[key];
  }
  return copy;
}

function validateJobUpdate(object: DynamicObject, old: DynamicObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const before = objectAt(old, 'spec') ?? {};
  const errors: FieldError[] = [];
  const elastic = spec.completionMode === 'Indexed' && sameJson(spec.completions, spec.parallelism);
  if (!elastic) errors.push(...unchanged(spec.completions, before.completions, 'spec.completions'));
  errors.push(...unchanged(spec.selector, before.selector, 'spec.selector'));
  const suspended = before.suspend === true && !given(objectAt(old, 'status')?.startTime);
  const template = objectAt(spec, 'template');
  const oldTemplate = objectAt(before, 'template');
  const next = suspended ? withOldDirectives(template, oldTemplate) : template;
  if (!sameJson(next, oldTemplate))
    errors.push(invalidValue('spec.template.spec', objectAt(template, 'spec'), 'field is immutable'));
  for (const key of ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy']) {
    errors.push(...unchanged(spec[key], before[key], `spec.${key}`));
  }
  return errors;
}

export const jobStrategy: Strategy = {
  default: defaultJob,
  prepareCreate(draft) {
    draft.status = {};
    generateSelector(draft);
  },
  validate: validateJob,
  validateUpdate: (object, old, { subresource }) => (subresource === '' ? validateJobUpdate(object, old) : []),
};
