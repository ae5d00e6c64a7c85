import type { FieldError } from '@coxswain/schema';
import { listAt, mapAt, objectAt, type ReadJson } from '../shared/draft.ts';
import { forbiddenField, required } from '../shared/errors.ts';
import { validateAnnotations, validateLabels } from '../shared/selectors.ts';
import { validatePodSpec } from './validate-spec.ts';

/** A PodTemplateSpec at `field`. */
export function validatePodTemplate(template: ReadJson | undefined, field: string): readonly FieldError[] {
  if (!template) return [required(field)];
  const spec = objectAt(template, 'spec') ?? {};
  const errors = [
    ...validateLabels(mapAt(objectAt(template, 'metadata'), 'labels'), `${field}.labels`),
    ...validateAnnotations(objectAt(template, 'metadata'), `${field}.annotations`),
    ...validatePodSpec(spec, `${field}.spec`),
  ];
  if (listAt(spec, 'ephemeralContainers').length > 0) {
    errors.push(
      forbiddenField(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'),
    );
  }
  return errors;
}
