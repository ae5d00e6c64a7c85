import { ConfigMap, Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { formatTime } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { CNClaim, podOf } from '../api/index.ts';
import { directPod } from './test-direct-pod.ts';
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

test('a claim whose pod is seen a minute late is not given up as lost: that would be for good', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 1 });
  const { world } = pool;
  await pool.until({ Idle: 1 });
  const match = { resource: 'pods', verb: 'watch', user: 'matrixone-operator' };
  world.embedded.faults.add({ match, action: { watch: 'delay', ms: 60_000 } });
  await world.stopOperator();
  await world.startOperator({ cnStores });
  const [set] = await world.drive(pool.sets());
  const agent = await world.drive(
    world.client.of(ConfigMap).create({ metadata: { namespace: 'default', name: 'agent' } }),
  );
  await world.drive(world.client.of(Pod).create(directPod(set?.metadata.name ?? '', agent)));
  const key = { namespace: 'default', name: 'one' };
  const claim = { metadata: key, spec: { selector: { matchLabels: { pool: 'p' } }, podName: 'own' } };
  await world.drive(world.client.of(CNClaim).create(claim));
  const status = { phase: 'Bound' as const, boundTime: formatTime(world.clock.now() - 3_600_000) };
  await world.drive(world.client.of(CNClaim).patchStatus(key, merge({ status })));
  await world.clock.advance(50_000);
  expect(cnStores.serving.has('own')).toBe(false);
  world.embedded.faults.clear();
  await world.until('it serves', async () => cnStores.serving.has('own'));
  expect((await world.drive(world.client.of(CNClaim).get(key))).status?.phase).toBe('Bound');
});
