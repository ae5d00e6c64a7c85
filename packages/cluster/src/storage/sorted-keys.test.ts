import { seededRandom } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { SortedKeys } from './sorted-keys.ts';

test('stays sorted over many random changes, across chunk splits and removals', () => {
  const random = seededRandom(3);
  const keys = new SortedKeys();
  const model = new Set<string>();
  const check = () => {
    const sorted = [...model].sort();
    expect(keys.slice('', undefined, Number.POSITIVE_INFINITY)).toEqual(sorted);
    for (const [start, end] of [
      ['k3', 'k6'],
      ['k', undefined],
      ['k55', 'k55'],
      ['z', undefined],
      ['', 'k1'],
    ] as const) {
      const range = sorted.filter((key) => key >= start && (end === undefined || key < end));
      expect(keys.slice(start, end, 7)).toEqual(range.slice(0, 7));
      expect(keys.count(start, end)).toBe(range.length);
    }
  };
  for (let i = 0; i < 6000; i++) {
    const key = `k${Math.floor(random.next() * 3000)}`;
    // More is added in the first half, more is removed in the second.
    if (random.next() < (i < 3000 ? 0.9 : 0.2)) {
      keys.add(key);
      model.add(key);
    } else {
      keys.delete(key);
      model.delete(key);
    }
    if (i % 1000 === 999) check();
  }
  for (const key of model) keys.delete(key);
  model.clear();
  check();
});
