import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
} from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { invalidValue } from './errors.ts';
import { nonNegativeText } from './names.ts';
import { isInteger } from './resource-names.ts';

export const zeroQuantity = parseQuantity('0');

/** A quantity as it stands in an object; `undefined` for what is none. */
export function quantityAt(value: unknown): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  try {
    return parseQuantity(value);
  } catch {
    return undefined;
  }
}

export function nonNegativeQuantity(value: unknown, field: string): readonly FieldError[] {
  const quantity = quantityAt(value);
  if (!quantity || compareQuantities(quantity, zeroQuantity) >= 0) return [];
  return [invalidValue(field, formatQuantity(quantity), nonNegativeText)];
}

/** An amount of a resource: not negative, and whole where there are no parts of it. */
export function validateResourceAmount(name: string, value: unknown, field: string): readonly FieldError[] {
  const errors = [...nonNegativeQuantity(value, field)];
  const quantity = quantityAt(value);
  if (quantity && isInteger(name) && quantityMilliValue(quantity) % 1000n !== 0n) {
    errors.push(invalidValue(field, formatQuantity(quantity), 'must be an integer'));
  }
  return errors;
}
