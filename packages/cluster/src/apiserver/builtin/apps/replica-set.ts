import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { defaultPodTemplate, templateLabels } from '../pod/default-spec.ts';
import { validatePodTemplate } from '../pod/validate-template.ts';
import { workloadWarnings } from '../pod/warnings.ts';
import { copyJson, ensureObject, fill, fillZero, mapAt, objectAt, type ReadJson } from '../shared/draft.ts';
import { invalidValue, required } from '../shared/errors.ts';
import { nonNegative, unchanged } from '../shared/values.ts';
import { alwaysRunning, replicaTemplate, workloadSelector } from './template-rules.ts';

function defaultReplicaSet(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  fill(spec, 'replicas', 1);
  defaultPodTemplate(ensureObject(spec, 'template'));
  fill(ensureObject(draft, 'status'), 'replicas', 0);
}

function validateReplicaSet(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  return [
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...workloadSelector(spec, 'deployment'),
    ...replicaTemplate(spec),
  ];
}

export const replicaSetStrategy: Strategy = {
  default: defaultReplicaSet,
  validate: validateReplicaSet,
  validateUpdate: (object, old) =>
    unchanged(objectAt(object, 'spec')?.selector, objectAt(old, 'spec')?.selector, 'spec.selector'),
  warnings: workloadWarnings,
};

function defaultReplicationController(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  const template = objectAt(spec, 'template');
  const labels = templateLabels(template);
  if (labels) {
    if (Object.keys(mapAt(spec, 'selector')).length === 0) spec.selector = copyJson(labels);
    const metadata = ensureObject(draft, 'metadata');
    if (Object.keys(mapAt(metadata, 'labels')).length === 0) metadata.labels = copyJson(labels);
  }
  fill(spec, 'replicas', 1);
  if (template) defaultPodTemplate(template);
  fillZero(ensureObject(draft, 'status'), 'replicas', 0);
}

function validateReplicationController(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const selector = mapAt(spec, 'selector');
  const errors = [
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
  ];
  if (Object.keys(selector).length === 0) errors.push(required('spec.selector'));
  if (!objectAt(spec, 'template')) return [...errors, required('spec.template')];
  const labels = mapAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  const shown = objectAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels') ?? null;
  if (Object.entries(selector).some(([key, value]) => labels[key] !== value)) {
    errors.push(invalidValue('spec.template.metadata.labels', shown, '`selector` does not match template `labels`'));
  }
  errors.push(...validatePodTemplate(objectAt(spec, 'template'), 'spec.template'));
  return [...errors, ...alwaysRunning(spec, 'ReplicationController')];
}

export const replicationControllerStrategy: Strategy = {
  default: defaultReplicationController,
  validate: validateReplicationController,
  warnings: workloadWarnings,
};
