import type { Random } from '@coxswain/runtime/core';

/** A whole number from 0 to `limit` - 1. */
export function upTo(limit: number, random: Random): number {
  return Math.floor(random.next() * limit);
}

/** One of several; there must be one. */
export function pick<T>(values: readonly T[], random: Random): T {
  return values[upTo(values.length, random)] as T;
}

export function chance(probability: number, random: Random): boolean {
  return random.next() < probability;
}
