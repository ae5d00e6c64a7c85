import { expect, test } from 'vitest';
import { reduced } from './rules.ts';

test('of numbers on their way, the ends are kept', () => {
  expect(reduced('metadata.generation', [1, 2, 3])).toEqual([1, 3]);
  expect(reduced('status.readyReplicas', [null, 1, 2, 3, 2, 1, null])).toEqual([null, 3, null]);
  expect(reduced('status.phase', ['Pending', 'Running', 'Pending'])).toEqual(['Pending', 'Running', 'Pending']);
});

test('of counts that go up and down, the first, the least, the greatest and the last are kept', () => {
  expect(reduced('status.replicas', [null, 3, 4, 3, 4, 3])).toEqual([null, 4, 3]);
  expect(reduced('status.availableReplicas', [2, 1, 3, 2, 3, 2])).toEqual([2, 1, 3, 2]);
});
