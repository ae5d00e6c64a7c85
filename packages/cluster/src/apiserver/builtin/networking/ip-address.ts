import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { objectAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { immutableText, invalidValue, required } from '../shared/errors.ts';
import { dnsSubdomain, pathSegment } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';
import { ipTexts } from './ip-text.ts';

const field = 'spec.parentRef';
const parentOf = (object: ReadJson) => objectAt(objectAt(object, 'spec'), 'parentRef');

function parentErrors(object: ReadJson): readonly FieldError[] {
  const parent = parentOf(object);
  if (!parent) return [required(field)];
  const [group, namespace] = [textAt(parent, 'group'), textAt(parent, 'namespace')];
  return [
    ...(group === '' ? [] : formatErrors(group, `${field}.group`, dnsSubdomain)),
    ...['resource', 'name'].flatMap((key) => formatErrors(textAt(parent, key), `${field}.${key}`, pathSegment)),
    ...(namespace === '' ? [] : formatErrors(namespace, `${field}.namespace`, pathSegment)),
    ...['resource', 'name'].filter((key) => textAt(parent, key) === '').map((key) => required(`${field}.${key}`)),
  ];
}

export const ipAddressStrategy: Strategy = {
  validateName: ipTexts,
  validate: parentErrors,
  // The server prints this one without its value.
  validateUpdate: (object, old) =>
    sameJson(parentOf(object), parentOf(old)) ? [] : [invalidValue(field, null, immutableText)],
};
