import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { defaultPodTemplate } from '../pod/default-spec.ts';
import { workloadWarnings } from '../pod/warnings.ts';
import { ensureObject, fill, fillZero, numberAt, objectAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported } from '../shared/errors.ts';
import { amountOf, atMostAll, intOrPercent, nonNegative, unchanged } from '../shared/values.ts';
import { goStrategy, replicaTemplate, workloadSelector } from './template-rules.ts';

function defaultDeployment(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  fill(spec, 'replicas', 1);
  const strategy = ensureObject(spec, 'strategy');
  fillZero(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    fill(rolling, 'maxUnavailable', '25%');
    fill(rolling, 'maxSurge', '25%');
  }
  fill(spec, 'revisionHistoryLimit', 10);
  fill(spec, 'progressDeadlineSeconds', 600);
  defaultPodTemplate(ensureObject(spec, 'template'));
  ensureObject(draft, 'status');
}

/** Neither side of a rolling update may be zero together, nor `maxUnavailable` above 100%. */
function validateRolling(rolling: ReadJson, field: string): readonly FieldError[] {
  const { maxUnavailable, maxSurge } = rolling;
  const errors = [
    ...intOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...intOrPercent(maxSurge, `${field}.maxSurge`),
  ];
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    errors.push(invalidValue(`${field}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...atMostAll(maxUnavailable, `${field}.maxUnavailable`)];
}

function validateStrategy(spec: ReadJson): readonly FieldError[] {
  const strategy = objectAt(spec, 'strategy');
  const rolling = objectAt(strategy, 'rollingUpdate');
  switch (textAt(strategy, 'type')) {
    case 'Recreate':
      if (!rolling) return [];
      return [forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate':
      return rolling ? validateRolling(rolling, 'spec.strategy.rollingUpdate') : [];
    default:
      return [
        notSupported('spec.strategy', goStrategy(strategy, 'apps.DeploymentStrategy'), ['Recreate', 'RollingUpdate']),
      ];
  }
}

function validateDeployment(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const errors = [
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...workloadSelector(spec, 'deployment'),
    ...replicaTemplate(spec),
    ...validateStrategy(spec),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...nonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
    ...nonNegative(spec.progressDeadlineSeconds, 'spec.progressDeadlineSeconds'),
  ];
  const deadline = numberAt(spec, 'progressDeadlineSeconds');
  if (deadline !== undefined && deadline <= (numberAt(spec, 'minReadySeconds') ?? 0)) {
    errors.push(invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'));
  }
  return errors;
}

/** A status write does not change the labels. */
function keepLabels(draft: MutableJson, old: DynamicObject): void {
  const metadata = ensureObject(draft, 'metadata');
  const { labels } = old.metadata;
  if (labels === undefined) delete metadata.labels;
  else metadata.labels = labels;
}

/** Annotations are carried on to the replica sets, so that a change of them is one generation more. */
function countAnnotations(draft: MutableJson, old: DynamicObject): void {
  const metadata = ensureObject(draft, 'metadata');
  if (sameJson(metadata.annotations, old.metadata.annotations)) return;
  metadata.generation = (old.metadata.generation ?? 0) + 1;
}

export const deploymentStrategy: Strategy = {
  default: defaultDeployment,
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') keepLabels(draft, old);
    else countAnnotations(draft, old);
  },
  resets: { status: ['spec', 'metadata.labels'] },
  validate: validateDeployment,
  validateUpdate: (object, old) =>
    unchanged(objectAt(object, 'spec')?.selector, objectAt(old, 'spec')?.selector, 'spec.selector'),
  warnings: workloadWarnings,
};
