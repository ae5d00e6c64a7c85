import { canonicalQuantity, parseQuantity, quantityMilliValue } from '@coxswain/runtime/core';

/** The warning of an amount of bytes that is no whole number; none for what is no amount. @param field with its key: `spec.overhead[memory]` */
export function fractionalBytes(value: unknown, field: string): readonly string[] {
  if (typeof value !== 'string' || quantityMilliValue(parseQuantity(value)) % 1000n === 0n) return [];
  return [`${field}: fractional byte value ${JSON.stringify(canonicalQuantity(value))} is invalid, must be an integer`];
}
