import type { FieldError } from '@coxswain/schema';
import { type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue } from '../shared/errors.ts';
import { pathSegment } from '../shared/names.ts';
import { requiredName } from '../shared/values.ts';

function groupFault(apiVersion: string, groupNeeded: boolean): string | undefined {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  return groupNeeded && (parts.length < 2 || parts[0] === '') ? 'apiVersion must specify API group' : undefined;
}

/** A reference by kind and name. `groupNeeded`: what is scaled is never of the core group. */
export function validateTargetRef(
  ref: ReadJson | undefined,
  field: string,
  groupNeeded: boolean,
): readonly FieldError[] {
  const apiVersion = textAt(ref, 'apiVersion');
  const fault = groupFault(apiVersion, groupNeeded);
  return [
    ...requiredName(textAt(ref, 'kind'), `${field}.kind`, pathSegment),
    ...requiredName(textAt(ref, 'name'), `${field}.name`, pathSegment),
    ...(fault === undefined ? [] : [invalidValue(`${field}.apiVersion`, apiVersion, fault)]),
  ];
}
