import { expect, test } from 'vitest';
import { serverFromEnv } from '../test-cluster/index.ts';
import { failover, faultNames, heapGrowth, heapMarks, markdownTable, runFaults } from './index.ts';

const server = serverFromEnv();

test('each fault once: no object is missed', async () => {
  const short = { objects: 20, cycles: 1, lasts: 500, callTimeout: 2_000, watchIdle: 2_000, patience: 50_000 };
  const results = await Array.fromAsync(runFaults(faultNames, { server, ...short }));
  expect(results.map(({ fault, changed, missed }) => [fault, changed, missed])).toEqual(
    faultNames.map((name) => [name, 2, 0]),
  );
  const forgotten = results.filter(({ fault }) => fault.startsWith('compaction'));
  expect(forgotten.map(({ lists, listsWanted }) => lists >= listsWanted && listsWanted === 2)).toEqual([true, true]);
}, 240_000);

test('the leader ends under load: the standby goes on, their writes do not overlap, no object is missed', async () => {
  const result = await failover('SIGTERM, warm', { server, objects: 40, patience: 50_000 });
  expect(result).toMatchObject({ overlap: 0, missed: 0 });
  expect(Math.min(...result.writes)).toBeGreaterThan(0);
}, 240_000);

test('the growth of a heap is the slope through its samples', () => {
  expect(heapMarks(100)).toEqual([50, 75, 100]);
  expect(heapMarks(1)).toEqual([1]);
  const line = heapMarks(100).map((cycle) => ({ cycle, bytes: 7_000_000 + 2_000 * cycle }));
  expect(heapGrowth(line)).toBeCloseTo(2_000);
  expect(heapGrowth(line.slice(0, 1))).toBe(0);
});

test('a table', () => {
  expect(markdownTable(['a', 'b'], [['x', 1]])).toBe('| a | b |\n| --- | ---: |\n| x | 1 |');
});
