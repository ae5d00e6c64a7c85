import type { FieldError } from '@coxswain/schema';
import { validatePodTemplate } from '../pod/validate-template.ts';
import { given, mapAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { isEmptySelector, selectsLabels, validateLabelSelector } from '../shared/selectors.ts';

/** A workload's selector: required, well-formed, not empty. `kind` as the message names it. */
export function workloadSelector(spec: ReadJson, kind: string): readonly FieldError[] {
  const selector = objectAt(spec, 'selector');
  if (!selector) return [required('spec.selector')];
  const errors = [...validateLabelSelector(selector, 'spec.selector')];
  if (isEmptySelector(selector)) {
    errors.push(invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`));
  }
  return errors;
}

export const doesNotMatch = '`selector` does not match template `labels`';

/** An update strategy as the server's messages print it: by the names of its Go fields. */
export function goStrategy(strategy: ReadJson | undefined, type: string): object {
  return goValue(strategy, type) as object;
}

/** Whether the selector selects the template's own pods. No selector selects none, an empty one all. */
export function templateMatches(spec: ReadJson): readonly FieldError[] {
  const selector = objectAt(spec, 'selector');
  const metadata = objectAt(objectAt(spec, 'template'), 'metadata');
  const labels = mapAt(metadata, 'labels');
  if (selector && (isEmptySelector(selector) || selectsLabels(selector, labels))) return [];
  return [invalidValue('spec.template.metadata.labels', objectAt(metadata, 'labels') ?? null, doesNotMatch)];
}

/** Pods of a workload run for ever. `kind` as the message names it. */
export function alwaysRunning(spec: ReadJson, kind: string): readonly FieldError[] {
  const podSpec = objectAt(objectAt(spec, 'template'), 'spec');
  const errors: FieldError[] = [];
  const restartPolicy = textAt(podSpec, 'restartPolicy');
  if (restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always']));
  }
  if (given(podSpec?.activeDeadlineSeconds)) {
    const text = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbiddenField('spec.template.spec.activeDeadlineSeconds', text));
  }
  return errors;
}

/** Selector and template against each other, then the template itself. */
export function matchingTemplate(spec: ReadJson): readonly FieldError[] {
  return [...templateMatches(spec), ...validatePodTemplate(objectAt(spec, 'template'), 'spec.template')];
}

/** A selector that cannot be read leaves nothing to check the template against. */
export function brokenSelector(spec: ReadJson, text: string): readonly FieldError[] | undefined {
  const selector = objectAt(spec, 'selector');
  if (!selector || validateLabelSelector(selector, '').length === 0) return undefined;
  return [invalidValue('spec.selector', selector, text)];
}

/** The template of a Deployment or ReplicaSet. */
export function replicaTemplate(spec: ReadJson): readonly FieldError[] {
  return (
    brokenSelector(spec, 'invalid label selector') ?? [...matchingTemplate(spec), ...alwaysRunning(spec, 'ReplicaSet')]
  );
}
