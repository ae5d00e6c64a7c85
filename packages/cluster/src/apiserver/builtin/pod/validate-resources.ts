import { compareQuantities, formatQuantity, quantityValue } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsLabel } from '../shared/names.ts';
import { quantityAt, validateResourceAmount } from '../shared/quantities.ts';
import {
  isExtended,
  isHugePages,
  isNative,
  isOvercommittable,
  isStandardContainerResource,
  validateResourceName,
} from '../shared/resource-names.ts';
import { formatErrors } from '../shared/values.ts';

type NameRule = (name: string, field: string) => readonly FieldError[];

/** Names of resources that containers may ask for. */
export function validateContainerResourceName(name: string, field: string): readonly FieldError[] {
  const errors = validateResourceName(name, field);
  if (!name.includes('/')) {
    if (isStandardContainerResource(name)) return errors;
    return [...errors, invalidValue(field, name, 'must be a standard resource for containers')];
  }
  if (isNative(name) || isExtended(name)) return errors;
  return [...errors, invalidValue(field, name, "doesn't follow extended resource name standard")];
}

const podLevel = ['cpu', 'hugepages-', 'memory'];

function validatePodResourceName(name: string, field: string): readonly FieldError[] {
  const errors = validateResourceName(name, field);
  if (errors.length > 0 || ['cpu', 'memory'].includes(name) || isHugePages(name)) return errors;
  return [notSupported(field, name, podLevel)];
}

function validateHugePages(name: string, value: unknown, field: string): readonly FieldError[] {
  const [amount, page] = [quantityAt(value), quantityAt(name.slice('hugepages-'.length))];
  if (!isHugePages(name) || !amount || !page) return [];
  const size = quantityValue(page);
  if (size > 0n && quantityValue(amount) % size === 0n) return [];
  const shown = formatQuantity(amount);
  return [invalidValue(field, shown, `${shown} is not positive integer multiple of ${name}`)];
}

/** One request against the limit of the same name. */
function validateRequest(name: string, request: unknown, limit: unknown, field: string): readonly FieldError[] {
  const [wanted, most] = [quantityAt(request), quantityAt(limit)];
  if (!wanted) return [];
  if (!most) {
    if (isOvercommittable(name)) return [];
    return [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(wanted, most);
  const shown = formatQuantity(wanted);
  const top = formatQuantity(most);
  if (order !== 0 && !isOvercommittable(name)) {
    return [invalidValue(`${field}.requests`, shown, `must be equal to ${name} limit of ${top}`)];
  }
  return order > 0
    ? [invalidValue(`${field}.requests`, shown, `must be less than or equal to ${name} limit of ${top}`)]
    : [];
}

function validateClaims(claims: readonly ReadJson[], known: readonly string[], field: string): readonly FieldError[] {
  const taken = new Set<string>();
  return claims.flatMap((claim, i) => {
    const own = `${field}[${i}]`;
    const name = textAt(claim, 'name');
    if (name === '') return [required(own)];
    const request = textAt(claim, 'request');
    const key = request === '' ? name : `${name}/${request}`;
    const errors = request === '' ? [] : [...formatErrors(request, `${own}.request`, dnsLabel)];
    const overlaps = request === '' && [...taken].some((other) => other.startsWith(`${name}/`));
    if (taken.has(name)) errors.push(duplicate(own, name));
    else if (taken.has(key) || overlaps) errors.push(duplicate(own, key));
    taken.add(key);
    if (known.includes(name)) return errors;
    const names = known.length === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`;
    const text = `Not found: ${JSON.stringify(name)}: must be one of the names in pod.spec.resourceClaims${names}`;
    return [...errors, { field: own, reason: 'FieldValueNotFound', message: text }];
  });
}

function validateAmounts(
  resources: ReadJson,
  claims: readonly string[],
  rule: NameRule,
  field: string,
): readonly FieldError[] {
  const limits = objectAt(resources, 'limits') ?? {};
  const requests = objectAt(resources, 'requests') ?? {};
  const errors: FieldError[] = [];
  const amount = (name: string, value: unknown, path: string) =>
    errors.push(...rule(name, path), ...validateResourceAmount(name, value, path));
  for (const [name, value] of Object.entries(limits)) {
    const path = `${field}.limits[${name}]`;
    amount(name, value, path);
    errors.push(...validateHugePages(name, value, path));
  }
  for (const [name, value] of Object.entries(requests)) {
    const path = `${field}.requests[${name}]`;
    amount(name, value, path);
    errors.push(...validateRequest(name, value, limits[name], field), ...validateHugePages(name, value, path));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory')) {
    errors.push(forbiddenField(field, 'HugePages require cpu or memory'));
  }
  return [...errors, ...validateClaims(objectsAt(resources, 'claims'), claims, `${field}.claims`)];
}

/** `resources` of a container; `claims` are the names of the pod's resource claims. */
export function validateResources(
  resources: ReadJson | undefined,
  claims: readonly string[],
  field: string,
): readonly FieldError[] {
  return validateAmounts(resources ?? {}, claims, validateContainerResourceName, field);
}

/** `resources` of a whole pod, against those of its containers. */
export function validatePodResources(spec: ReadJson, claims: readonly string[], field: string): readonly FieldError[] {
  const resources = objectAt(spec, 'resources');
  if (!resources) return [];
  if (objectAt(spec, 'os')?.name === 'windows') return [forbiddenField(field, 'may not be set for a windows pod')];
  const errors: FieldError[] = [];
  if (resources.claims)
    errors.push(forbiddenField(`${field}.claims`, 'claims may not be set for Resources at pod-level'));
  errors.push(...validateAmounts(resources, claims, validatePodResourceName, field));
  const limits = objectAt(resources, 'limits') ?? {};
  objectsAt(spec, 'containers').forEach((container, i) => {
    const own = objectAt(objectAt(container, 'resources'), 'limits') ?? {};
    for (const [name, value] of Object.entries(own)) {
      const [limit, most] = [quantityAt(value), quantityAt(limits[name])];
      if (!limit || !most || compareQuantities(limit, most) <= 0) continue;
      const text = `must be less than or equal to pod limits of ${formatQuantity(most)}`;
      errors.push(invalidValue(`${field}.containers[${i}][${name}].limits`, formatQuantity(limit), text));
    }
  });
  return errors;
}
