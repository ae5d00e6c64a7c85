import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { fill, listAt, objectsAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { duplicate, forbiddenField, immutableText, invalidValue, notSupported, required } from '../shared/errors.ts';
import { qualifiedName } from '../shared/names.ts';
import { formatErrors, unchanged } from '../shared/values.ts';
import { validateDriver, validateParameters } from './parameters.ts';

const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];

/** In the order in which the server names what was changed. */
const fixed = ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'];

/** A term as what it means: the values of each key. */
const meaningOf = (term: ReadJson): object =>
  Object.fromEntries(
    objectsAt(term, 'matchLabelExpressions').map((rule) => [
      textAt(rule, 'key'),
      Object.fromEntries(listAt(rule, 'values').map((value) => [String(value), true])),
    ]),
  );

function validateTerm(term: ReadJson, field: string): readonly FieldError[] {
  const keys = new Set<string>();
  return objectsAt(term, 'matchLabelExpressions').flatMap((rule, i) => {
    const place = `${field}.matchLabelExpressions[${i}]`;
    const values = listAt(rule, 'values');
    const key = textAt(rule, 'key');
    const errors: FieldError[] = values.length === 0 ? [required(`${place}.values`)] : [];
    values.forEach((value, j) => {
      if (values.indexOf(value) < j) errors.push(duplicate(`${place}.values[${j}]`, value));
    });
    errors.push(...formatErrors(key, `${place}.key`, qualifiedName));
    if (keys.has(key)) errors.push(duplicate(`${place}.key`, key));
    keys.add(key);
    return errors;
  });
}

function validateTopologies(object: ReadJson): readonly FieldError[] {
  const terms = objectsAt(object, 'allowedTopologies');
  // The server compares with terms it has not filled yet as well: an empty one is always a double.
  const seen: object[] = terms.length > 0 ? [{}] : [];
  return terms.flatMap((term, i) => {
    const field = `allowedTopologies[${i}]`;
    const meaning = meaningOf(term);
    const double = seen.some((other) => sameJson(other, meaning));
    seen.push(meaning);
    return [...validateTerm(term, field), ...(double ? [duplicate(`${field}.matchLabelExpressions`, '')] : [])];
  });
}

export const storageClassStrategy: Strategy = {
  default(draft) {
    fill(draft, 'reclaimPolicy', 'Delete');
    fill(draft, 'volumeBindingMode', 'Immediate');
  },
  validate(object) {
    const provisioner = textAt(object, 'provisioner');
    const policy = textAt(object, 'reclaimPolicy');
    const mode = textAt(object, 'volumeBindingMode');
    return [
      ...validateDriver(provisioner, 'provisioner'),
      ...validateParameters(object, false),
      ...(policy === '' || reclaimPolicies.includes(policy)
        ? []
        : [notSupported('reclaimPolicy', policy, reclaimPolicies)]),
      ...(bindingModes.includes(mode) ? [] : [notSupported('volumeBindingMode', mode, bindingModes)]),
      ...validateTopologies(object),
      ...(provisioner === '' ? [required('provisioner')] : []),
    ];
  },
  validateUpdate: (object, old) =>
    fixed
      .filter((key) => unchanged(object[key], old[key], key).length > 0)
      .map((key) => invalidValue(key, null, immutableText)),
};

export const attributesClassStrategy: Strategy = {
  validate(object) {
    const driver = textAt(object, 'driverName');
    return [
      ...(driver === '' ? [required('driverName')] : validateDriver(driver, 'driverName')),
      ...validateParameters(object, true),
    ];
  },
  validateUpdate: (object, old) =>
    ['driverName', 'parameters']
      .filter((key) => !sameJson(object[key], old[key]))
      .map((key) => forbiddenField(key, `updates to ${key} are forbidden.`)),
};
