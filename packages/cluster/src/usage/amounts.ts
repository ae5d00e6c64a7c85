import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityOf,
} from '@coxswain/runtime/core';
import { objectAt, type ReadJson } from '../apiserver/builtin/shared/draft.ts';

/** Amounts by resource: `cpu`, `memory`, `count/pods` …. */
export type Amounts = ReadonlyMap<string, Quantity>;

/** Reads the amounts at `key`. What is no quantity is left out: validation answers for it. */
export function amountsAt(parent: ReadJson | undefined, key: string): Amounts {
  const amounts = new Map<string, Quantity>();
  for (const [name, value] of Object.entries(objectAt(parent, key) ?? {})) {
    const quantity = quantityFrom(value);
    if (quantity) amounts.set(name, quantity);
  }
  return amounts;
}

function quantityFrom(value: unknown): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  try {
    return parseQuantity(value);
  } catch {
    return undefined;
  }
}

export function addTo(sum: Map<string, Quantity>, more: Amounts): void {
  for (const [name, quantity] of more) {
    const before = sum.get(name);
    sum.set(name, before ? addQuantities(before, quantity) : quantity);
  }
}

export function sumOf(...lists: readonly Amounts[]): Map<string, Quantity> {
  const sum = new Map<string, Quantity>();
  for (const list of lists) addTo(sum, list);
  return sum;
}

/** Raises each amount to that of the other list, where that is more. */
export function raiseTo(amounts: Map<string, Quantity>, others: Amounts): void {
  for (const [name, quantity] of others) {
    const before = amounts.get(name);
    if (!before || compareQuantities(quantity, before) > 0) amounts.set(name, quantity);
  }
}

/** The amounts of some resources only. */
export function only(amounts: Amounts, names: Iterable<string>): Map<string, Quantity> {
  const kept = new Map<string, Quantity>();
  for (const name of names) {
    const quantity = amounts.get(name);
    if (quantity) kept.set(name, quantity);
  }
  return kept;
}

/** As stored. */
export function amountsText(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

export const one: Quantity = quantityOf(1);
export const zero: Quantity = quantityOf(0);
