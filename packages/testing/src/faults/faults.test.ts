import { expect, test } from 'vitest';
import { serverFromEnv } from '../test-cluster/index.ts';
import { failover, faultNames, markdownTable, runFaults } from './index.ts';

const server = serverFromEnv();

test('each fault once: no object is missed', async () => {
  const short = { objects: 20, cycles: 1, lasts: 500, callTimeout: 2_000, watchIdle: 2_000, patience: 50_000 };
  const results = await runFaults(faultNames, { server, ...short });
  expect(results.map(({ fault, changed, missed }) => [fault, changed, missed])).toEqual(
    faultNames.map((name) => [name, 2, 0]),
  );
}, 240_000);

test('the leader ends under load: the standby goes on, their writes do not overlap, no object is missed', async () => {
  const result = await failover('SIGTERM, warm', { server, objects: 40, patience: 50_000 });
  expect(result).toMatchObject({ overlap: 0, missed: 0 });
  expect(Math.min(...result.writes)).toBeGreaterThan(0);
}, 240_000);

test('a table', () => {
  expect(markdownTable(['a', 'b'], [['x', 1]])).toBe('| a | b |\n| --- | ---: |\n| x | 1 |');
});
