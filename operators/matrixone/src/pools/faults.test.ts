import { expect, test } from 'vitest';
import { podOf } from '../api/index.ts';
import { PoolWorld, TestStores } from './test-pools.ts';

test('with requests and answers lost, and an operator replaced on the way, every claim gets a pod of its own', {
  timeout: 120_000,
}, async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 1 });
  const { world } = pool;
  await world.stopOperator();
  await world.startOperator({ cnStores, faults: 3 });
  await pool.claimSet('cs', 2);
  await pool.claim('alone');
  for (let i = 0; i < 12; i++) {
    await world.clock.advance(3_000);
    expect(await world.drive(pool.broken())).toEqual([]);
    if (i !== 3) continue;
    await world.stopOperator();
    await world.startOperator({ cnStores, faults: 4 });
  }
  await pool.until({ Bound: 3, Idle: 1 });
  const claims = await world.drive(pool.claims());
  expect(claims).toHaveLength(3);
  expect(new Set(claims.map(podOf)).size).toBe(3);
  expect([...cnStores.serving].sort()).toEqual(claims.map(podOf).sort());
});

test('a pod that somebody else changed just when it was chosen to go is looked at again', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 2 });
  await pool.until({ Idle: 2 });
  const match = { resource: 'pods', verb: 'patch', user: 'matrixone-operator' };
  pool.world.embedded.faults.add({ match, when: { times: 1 }, action: { status: 409 } });
  await pool.change({ strategy: { scaleStrategy: { maxIdle: 1 } } });
  await pool.until({ Idle: 1 });
});

test('a pod that is known late is not tried again until there is time to learn of it', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 1 });
  await pool.until({ Idle: 1 });
  const match = { resource: 'pods', verb: 'patch', user: 'matrixone-operator' };
  // As a server refuses what refers to a version that has passed: each time, until the cache catches up.
  const refused = pool.world.embedded.faults.add({
    match,
    when: { until: 20_000, times: 500 },
    action: { status: 409 },
  });
  await pool.change({ strategy: { scaleStrategy: { maxIdle: 2 } } });
  await pool.world.clock.advance(20_000);
  expect(refused.counts.fired).toBeGreaterThan(0);
  expect(refused.counts.fired).toBeLessThan(60);
  await pool.until({ Idle: 2 });
});
