import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { defaultPodTemplate } from '../pod/default-spec.ts';
import { validatePodTemplate } from '../pod/validate-template.ts';
import { podWarnings } from '../pod/warnings.ts';
import { ensureObject, fill, fillZero, mapAt, objectAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { isEmptySelector, validateLabelSelector } from '../shared/selectors.ts';
import { amountOf, atMostAll, intOrPercent, nonNegative, unchanged } from '../shared/values.ts';
import { alwaysRunning, goStrategy, templateMatches } from './template-rules.ts';

function defaultDaemonSet(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  const strategy = ensureObject(spec, 'updateStrategy');
  fillZero(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    fill(rolling, 'maxUnavailable', 1);
    fill(rolling, 'maxSurge', 0);
  }
  fill(spec, 'revisionHistoryLimit', 10);
  defaultPodTemplate(ensureObject(spec, 'template'));
  const status = ensureObject(draft, 'status');
  for (const key of ['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady']) {
    fill(status, key, 0);
  }
}

function validateRolling(rolling: ReadJson, field: string): readonly FieldError[] {
  const { maxUnavailable, maxSurge } = rolling;
  const errors = [
    ...intOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...intOrPercent(maxSurge, `${field}.maxSurge`),
  ];
  const [down, up] = [amountOf(maxUnavailable), amountOf(maxSurge)];
  if (down === 0 && up === 0) {
    errors.push(required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  } else if (down !== 0 && up !== 0) {
    errors.push(invalidValue(`${field}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  }
  errors.push(...atMostAll(maxUnavailable, `${field}.maxUnavailable`), ...atMostAll(maxSurge, `${field}.maxSurge`));
  return errors;
}

function validateDaemonSet(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const strategy = objectAt(spec, 'updateStrategy');
  const type = textAt(strategy, 'type');
  const rolling = objectAt(strategy, 'rollingUpdate');
  const selector = objectAt(spec, 'selector');
  const errors: FieldError[] = [...validateLabelSelector(selector, 'spec.selector')];
  if (errors.length === 0) errors.push(...templateMatches(spec));
  if (selector && isEmptySelector(selector)) {
    errors.push(invalidValue('spec.selector', selector, 'empty selector is invalid for daemonset'));
  }
  errors.push(...validatePodTemplate(objectAt(spec, 'template'), 'spec.template'), ...alwaysRunning(spec, 'DaemonSet'));
  errors.push(...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'));
  if (type === 'RollingUpdate') {
    if (rolling) errors.push(...validateRolling(rolling, 'spec.updateStrategy.rollingUpdate'));
  } else if (type !== 'OnDelete') {
    errors.push(
      notSupported('spec.updateStrategy', goStrategy(strategy, 'apps.DaemonSetUpdateStrategy'), [
        'RollingUpdate',
        'OnDelete',
      ]),
    );
  }
  errors.push(...nonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'));
  return errors;
}

/** Counts changes of the template; kept as an annotation since it left the spec. */
const templateGeneration = 'deprecated.daemonset.template.generation';

function setTemplateGeneration(draft: MutableJson, value: number): void {
  ensureObject(ensureObject(draft, 'metadata'), 'annotations')[templateGeneration] = String(value);
}

export const daemonSetStrategy: Strategy = {
  default(draft) {
    defaultDaemonSet(draft);
    const annotations = ensureObject(ensureObject(draft, 'metadata'), 'annotations');
    annotations[templateGeneration] ??= '0';
  },
  prepareCreate: (draft) => setTemplateGeneration(draft, 1),
  prepareUpdate(draft, old, { subresource }) {
    const before = Number(mapAt(objectAt(old, 'metadata'), 'annotations')[templateGeneration] ?? 1);
    const same = sameJson(objectAt(draft, 'spec')?.template, objectAt(old, 'spec')?.template);
    setTemplateGeneration(draft, same || subresource !== '' ? before : before + 1);
  },
  validateCreate: validateDaemonSet,
  validateUpdate: (object, old) => [
    ...unchanged(objectAt(object, 'spec')?.selector, objectAt(old, 'spec')?.selector, 'spec.selector'),
    ...validateDaemonSet(object),
  ],
  warnings(object, old) {
    const generationOf = (one: DynamicObject) => one.metadata.annotations?.[templateGeneration];
    if (old && generationOf(old) === generationOf(object)) return [];
    return podWarnings(objectAt(objectAt(object, 'spec'), 'template') ?? {}, 'spec.template');
  },
};
