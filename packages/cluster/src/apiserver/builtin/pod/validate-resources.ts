import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { objectAt, type ReadJson } from '../shared/draft.ts';
import { invalidValue, required } from '../shared/errors.ts';
import { nonNegativeText, qualifiedName } from '../shared/names.ts';

const zero = parseQuantity('0');
const standard = ['cpu', 'memory', 'ephemeral-storage'];

function parsed(value: unknown): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  try {
    return parseQuantity(value);
  } catch {
    return undefined;
  }
}

/** Standard names that are not for containers. */
const elsewhere = [
  'storage',
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
];

/** Whether requests may be below limits: not for huge pages and devices. */
function overcommittable(name: string): boolean {
  return (name.includes('kubernetes.io/') || !name.includes('/')) && !name.startsWith('hugepages-');
}

function validateName(name: string, field: string): readonly FieldError[] {
  const errors = qualifiedName(name).map((text) => invalidValue(field, name, text));
  if (errors.length > 0 || name.includes('/')) return errors;
  if (standard.includes(name) || name.startsWith('hugepages-')) return errors;
  const texts = elsewhere.includes(name) ? [] : ['must be a standard resource type or fully qualified'];
  return [...texts, 'must be a standard resource for containers'].map((text) => invalidValue(field, name, text));
}

function validateQuantity(value: unknown, field: string): readonly FieldError[] {
  const quantity = parsed(value);
  if (!quantity) return [];
  return compareQuantities(quantity, zero) < 0 ? [invalidValue(field, formatQuantity(quantity), nonNegativeText)] : [];
}

/** One request against the limit of the same name. */
function validateRequest(name: string, request: unknown, limit: unknown, field: string): readonly FieldError[] {
  const [wanted, most] = [parsed(request), parsed(limit)];
  if (!wanted) return [];
  if (!most) {
    if (overcommittable(name)) return [];
    return [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(wanted, most);
  const shown = formatQuantity(wanted);
  const top = formatQuantity(most);
  if (order !== 0 && !overcommittable(name)) {
    return [invalidValue(`${field}.requests`, shown, `must be equal to ${name} limit of ${top}`)];
  }
  return order > 0
    ? [invalidValue(`${field}.requests`, shown, `must be less than or equal to ${name} limit of ${top}`)]
    : [];
}

/** `resources` of a container. */
export function validateResources(resources: ReadJson | undefined, field: string): readonly FieldError[] {
  const limits = objectAt(resources, 'limits') ?? {};
  const requests = objectAt(resources, 'requests') ?? {};
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(limits)) {
    const path = `${field}.limits[${name}]`;
    errors.push(...validateName(name, path), ...validateQuantity(value, path));
  }
  for (const [name, value] of Object.entries(requests)) {
    const path = `${field}.requests[${name}]`;
    errors.push(...validateName(name, path), ...validateQuantity(value, path));
    errors.push(...validateRequest(name, value, limits[name], field));
  }
  return errors;
}
