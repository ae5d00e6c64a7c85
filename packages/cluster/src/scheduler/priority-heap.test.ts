import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PriorityHeap } from './priority-heap.ts';

test('the first comes out first, whatever was taken out meanwhile', () => {
  const items = fc.array(fc.record({ rank: fc.nat(20), gone: fc.boolean() }), { maxLength: 60 });
  fc.assert(
    fc.property(items, (all) => {
      const heap = new PriorityHeap<(typeof all)[number]>((a, b) => a.rank < b.rank);
      for (const item of all) heap.add(item);
      for (const item of all) if (item.gone) heap.delete(item);
      const left: number[] = [];
      for (let item = heap.take(); item; item = heap.take()) left.push(item.rank);
      expect(left).toEqual(
        all
          .filter(({ gone }) => !gone)
          .map(({ rank }) => rank)
          .sort((a, b) => a - b),
      );
      expect(heap.size).toBe(0);
    }),
  );
});
