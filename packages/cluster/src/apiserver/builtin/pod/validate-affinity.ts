import type { FieldError } from '@coxswain/schema';
import { listAt, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, required } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../shared/names.ts';
import { validateLabelSelector } from '../shared/selectors.ts';
import { formatErrors } from '../shared/values.ts';

const notAnOperator = 'not a valid selector operator';

function countOfValues(operator: string, values: readonly unknown[], field: string): readonly FieldError[] {
  const own = `${field}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(own, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [forbiddenField(own, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return values.length === 1
        ? []
        : [required(own, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidValue(`${field}.operator`, operator, notAnOperator)];
  }
}

function validateExpression(requirement: ReadJson, anyValue: boolean, field: string): readonly FieldError[] {
  const values = listAt(requirement, 'values');
  return [
    ...countOfValues(textAt(requirement, 'operator'), values, field),
    ...formatErrors(textAt(requirement, 'key'), `${field}.key`, qualifiedName),
    ...(anyValue ? [] : values.flatMap((value, i) => formatErrors(String(value), `${field}.values[${i}]`, labelValue))),
  ];
}

function validateFieldExpression(requirement: ReadJson, field: string): readonly FieldError[] {
  const operator = textAt(requirement, 'operator');
  const key = textAt(requirement, 'key');
  const values = listAt(requirement, 'values');
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalidValue(`${field}.operator`, operator, notAnOperator));
  else if (values.length !== 1) {
    const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${field}.values`, text));
  }
  if (key !== 'metadata.name') return [...errors, invalidValue(`${field}.key`, key, 'not a valid field selector key')];
  return [
    ...errors,
    ...values.flatMap((value, i) => formatErrors(String(value), `${field}.values[${i}]`, dnsSubdomain)),
  ];
}

function validateNodeTerm(term: ReadJson, anyValue: boolean, field: string): readonly FieldError[] {
  return [
    ...objectsAt(term, 'matchExpressions').flatMap((requirement, i) =>
      validateExpression(requirement, anyValue, `${field}.matchExpressions[${i}]`),
    ),
    ...objectsAt(term, 'matchFields').flatMap((requirement, i) =>
      validateFieldExpression(requirement, `${field}.matchFields[${i}]`),
    ),
  ];
}

/** A selector of nodes: at least one term. `anyValue`: values need not be possible values of labels. */
export function validateNodeSelector(selector: ReadJson, anyValue: boolean, field: string): readonly FieldError[] {
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  const own = `${field}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(own, 'must have at least one node selector term')];
  return terms.flatMap((term, i) => validateNodeTerm(term, anyValue, `${own}[${i}]`));
}

function validateWeight(entry: ReadJson, field: string): readonly FieldError[] {
  const weight = numberAt(entry, 'weight') ?? 0;
  return weight >= 1 && weight <= 100 ? [] : [invalidValue(`${field}.weight`, weight, 'must be in the range 1-100')];
}

const [needed, preferred] = [
  'requiredDuringSchedulingIgnoredDuringExecution',
  'preferredDuringSchedulingIgnoredDuringExecution',
];

function validateNodeAffinity(affinity: ReadJson | undefined, field: string): readonly FieldError[] {
  const selector = objectAt(affinity, needed);
  return [
    ...(selector ? validateNodeSelector(selector, false, `${field}.${needed}`) : []),
    ...objectsAt(affinity, preferred).flatMap((entry, i) => {
      const own = `${field}.${preferred}[${i}]`;
      return [
        ...validateWeight(entry, own),
        ...validateNodeTerm(objectAt(entry, 'preference') ?? {}, true, `${own}.preference`),
      ];
    }),
  ];
}

function validateKeys(keys: readonly unknown[], selector: ReadJson | undefined, field: string): readonly FieldError[] {
  if (keys.length === 0) return [];
  if (!selector) return [forbiddenField(field, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, i) => formatErrors(String(key), `${field}[${i}]`, qualifiedName));
}

/** `matchLabelKeys` and `mismatchLabelKeys` of something with a `labelSelector`. */
export function validateLabelKeys(owner: ReadJson, field: string): readonly FieldError[] {
  const selector = objectAt(owner, 'labelSelector');
  const match = listAt(owner, 'matchLabelKeys');
  const mismatch = listAt(owner, 'mismatchLabelKeys');
  const errors = [
    ...validateKeys(match, selector, `${field}.matchLabelKeys`),
    ...validateKeys(mismatch, selector, `${field}.mismatchLabelKeys`),
  ];
  const seen = new Set<unknown>(Object.keys(objectAt(selector, 'matchLabels') ?? {}));
  for (const { key } of objectsAt(selector, 'matchExpressions')) {
    if (match.includes(key) && seen.has(key)) {
      errors.push(
        invalidValue(`${field}[${match.indexOf(key)}]`, key, 'exists in both matchLabelKeys and labelSelector'),
      );
    }
    seen.add(key);
  }
  match.forEach((key, i) => {
    if (!mismatch.includes(key)) return;
    errors.push(
      invalidValue(`${field}.matchLabelKeys[${i}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
    );
  });
  return errors;
}

function validatePodTerm(term: ReadJson, field: string): readonly FieldError[] {
  const key = textAt(term, 'topologyKey');
  return [
    ...validateLabelSelector(objectAt(term, 'labelSelector'), `${field}.labelSelector`),
    ...validateLabelSelector(objectAt(term, 'namespaceSelector'), `${field}.namespaceSelector`),
    ...listAt(term, 'namespaces').flatMap((name) => formatErrors(String(name), `${field}.namespace`, dnsLabel)),
    ...validateLabelKeys(term, field),
    ...(key === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...formatErrors(key, `${field}.topologyKey`, qualifiedName),
  ];
}

function validatePodAffinity(affinity: ReadJson | undefined, field: string): readonly FieldError[] {
  return [
    ...objectsAt(affinity, needed).flatMap((term, i) => validatePodTerm(term, `${field}.${needed}[${i}]`)),
    ...objectsAt(affinity, preferred).flatMap((entry, i) => {
      const own = `${field}.${preferred}[${i}]`;
      return [
        ...validateWeight(entry, own),
        ...validatePodTerm(objectAt(entry, 'podAffinityTerm') ?? {}, `${own}.podAffinityTerm`),
      ];
    }),
  ];
}

/** `affinity` of a pod. */
export function validateAffinity(spec: ReadJson, field: string): readonly FieldError[] {
  const affinity = objectAt(spec, 'affinity');
  return [
    ...validateNodeAffinity(objectAt(affinity, 'nodeAffinity'), `${field}.nodeAffinity`),
    ...validatePodAffinity(objectAt(affinity, 'podAffinity'), `${field}.podAffinity`),
    ...validatePodAffinity(objectAt(affinity, 'podAntiAffinity'), `${field}.podAntiAffinity`),
  ];
}
