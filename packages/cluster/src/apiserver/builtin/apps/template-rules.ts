import type { FieldError } from '@coxswain/schema';
import { validatePodTemplate } from '../pod/validate-template.ts';
import { given, mapAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
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
export function goStrategy(strategy: ReadJson | undefined): object {
  return { Type: textAt(strategy, 'type'), RollingUpdate: strategy?.rollingUpdate ?? null };
}

/** Whether the selector, when it says something, selects the template's own pods. */
export function templateMatches(spec: ReadJson): readonly FieldError[] {
  const selector = objectAt(spec, 'selector');
  const metadata = objectAt(objectAt(spec, 'template'), 'metadata');
  const labels = mapAt(metadata, 'labels');
  if (!selector || isEmptySelector(selector) || selectsLabels(selector, labels)) return [];
  const shown = objectAt(metadata, 'labels');
  return [invalidValue('spec.template.metadata.labels', shown, doesNotMatch)];
}

/** The template of a workload whose pods run for ever. `kind` as the message names it. */
export function alwaysRunningTemplate(spec: ReadJson, kind: string): readonly FieldError[] {
  const podSpec = objectAt(objectAt(spec, 'template'), 'spec');
  const errors = [...templateMatches(spec), ...validatePodTemplate(objectAt(spec, 'template'), 'spec.template')];
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
