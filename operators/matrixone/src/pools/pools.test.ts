import { Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { CNClaim, CNClaimSet, CNPool, phaseOf, podOf } from '../api/index.ts';
import { PoolWorld, TestStores } from './test-pools.ts';

const namespace = 'default';

test('a pool keeps pods ready, claims take them, and what they give back serves again [case 58]', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 2 });
  const { world } = pool;
  await pool.until({ Idle: 2 });
  expect(cnStores.serving.size).toBe(0);

  await pool.claim('one', {
    cnLabels: [{ key: 'role', values: ['x'] }],
    ownerName: 'me',
    additionalPodLabels: { team: 'a' },
  });
  await pool.until({ Bound: 1, Idle: 2 });
  const one = await world.drive(world.client.of(CNClaim).get({ namespace, name: 'one' }));
  const podName = podOf(one) ?? '';
  expect([...cnStores.serving]).toEqual([podName]);
  expect(one.metadata.labels).toMatchObject({ 'pool.matrixorigin.io/pool-name': 'p' });
  expect(one.status).toMatchObject({
    phase: 'Bound',
    store: { string: podName, labels: [{ key: 'role', values: ['x'] }] },
  });
  const taken = await world.drive(world.client.of(Pod).get({ namespace, name: podName }));
  expect(taken.metadata.labels).toMatchObject({
    'pool.matrixorigin.io/claimed-by': 'one',
    'matrixorigin.io/owner': 'me',
    team: 'a',
  });

  cnStores.sessions = 3;
  await world.drive(world.client.of(CNClaim).delete({ namespace, name: 'one' }));
  await pool.until({ Draining: 1, Idle: 2 });
  expect(cnStores.serving.size).toBe(0);
  await world.clock.advance(60_000);
  await pool.until({ Draining: 1, Idle: 2 });
  cnStores.sessions = 0;
  await pool.until({ Idle: 2 });
  const given = (await world.drive(pool.pods())).find(({ metadata }) => metadata.name === podName);
  expect(given?.metadata.labels).toMatchObject({ 'matrixorigin.io/last-owner': 'me' });
  expect(given?.metadata.labels).not.toHaveProperty('team');
  expect(given?.metadata.annotations).not.toHaveProperty('matrixorigin.io/reclaimed-at');

  await world.drive(world.client.of(CNPool).delete({ namespace, name: 'p' }));
  await pool.until({});
  expect(await world.drive(pool.sets())).toEqual([]);
  expect([...world.refusals]).toEqual([]);
});

test('claims in a hurry never get one pod, and maxPods is kept', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 1, maxPods: 4 });
  for (let i = 0; i < 6; i++) await pool.claim(`c${i}`);
  for (let i = 0; i < 60; i++) {
    await pool.world.clock.advance(2_000);
    expect(await pool.world.drive(pool.broken())).toEqual([]);
    expect((await pool.world.drive(pool.pods())).length).toBeLessThanOrEqual(4);
  }
  await pool.until({ Bound: 4 });
  const claims = await pool.world.drive(pool.claims());
  expect(new Set(claims.map(podOf)).size).toBe(5);
  expect(claims.filter(({ status }) => status?.phase === 'Pending')).toHaveLength(2);
});

test('a claimed pod is never scaled away, however the pool shrinks', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 4 });
  await pool.until({ Idle: 4 });
  await pool.claimSet('cs', 2);
  await pool.until({ Bound: 2, Idle: 4 });
  const before = (await pool.world.drive(pool.claims())).map(podOf).sort();
  await pool.change({ strategy: { scaleStrategy: { maxIdle: 0 } } });
  await pool.claim('late');
  for (let i = 0; i < 40; i++) {
    await pool.world.clock.advance(1_000);
    expect(await pool.world.drive(pool.broken())).toEqual([]);
  }
  await pool.until({ Bound: 3 });
  expect((await pool.world.drive(pool.claims())).map(podOf)).toEqual(expect.arrayContaining(before));
});

test('a claim whose pod is lost is replaced by its set [case 11]', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 1 });
  const { world } = pool;
  await pool.claimSet('cs', 2);
  await pool.until({ Bound: 2, Idle: 1 });
  const [victim, other] = await world.drive(pool.claims());
  await world.drive(world.client.of(Pod).delete({ namespace, name: podOf(victim as CNClaim) ?? '' }));
  await world.until('the claim is gone', async () =>
    (await pool.claims()).every(({ metadata }) => metadata.name !== victim?.metadata.name),
  );
  await pool.until({ Bound: 2, Idle: 1 });
  const names = (await world.drive(pool.claims())).map(({ metadata }) => metadata.name);
  expect(names).toHaveLength(2);
  expect(names).toContain(other?.metadata.name);
  const set = await world.drive(world.client.of(CNClaimSet).get({ namespace, name: 'cs' }));
  expect(set.status).toMatchObject({ replicas: 2, readyReplicas: 2 });
  expect(set.status?.labelSelector).toBe('matrixorigin.io/claimset=cs,pool.matrixorigin.io/phase=Bound');
  await world.drive(world.client.of(CNClaimSet).delete({ namespace, name: 'cs' }));
  await pool.until({ Idle: 1 });
  expect(await world.drive(pool.claims())).toEqual([]);
});

test('a claim of its own whose pod is gone is lost, and does not name it any more', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 1 });
  const { world } = pool;
  await pool.claim('one');
  await pool.until({ Bound: 1, Idle: 1 });
  const key = { namespace, name: 'one' };
  const name = podOf(await world.drive(world.client.of(CNClaim).get(key))) ?? '';
  await world.drive(world.client.of(Pod).delete({ namespace, name }));
  await world.until('it is lost', async () => {
    const claim = await world.client.of(CNClaim).get(key);
    return claim.status?.phase === 'Lost' && podOf(claim) === undefined;
  });
});

test('a claim that waits for a pool goes to another when that is gone, unless it named the pool itself', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 0, maxPods: 0 });
  const { world } = pool;
  const poolOf = async (name: string) => (await world.client.of(CNClaim).get({ namespace, name })).spec?.poolName;
  await pool.claim('chosen');
  await pool.claim('named', { poolName: 'p' });
  await world.until('both are noted', async () => (await poolOf('chosen')) === 'p');
  const first = await world.drive(world.client.of(CNPool).get({ namespace, name: 'p' }));
  const strategy = { updateStrategy: {}, scaleStrategy: { maxIdle: 0, maxPods: 2 } };
  await world.drive(
    world.client.of(CNPool).create({ metadata: { namespace, name: 'q' }, spec: { ...first.spec, strategy } }),
  );
  await world.clock.advance(30_000);
  expect(await world.drive(poolOf('chosen'))).toBe('p');
  await world.drive(world.client.of(CNPool).delete({ namespace, name: 'p' }));
  await world.until('it has a pod of the other', async () => {
    const { spec, status } = await world.client.of(CNClaim).get({ namespace, name: 'chosen' });
    return status?.phase === 'Bound' && spec?.poolName === 'q';
  });
  expect(await world.drive(poolOf('named'))).toBe('p');
});

test('a claim that is deleted while it moves gives back both of its pods', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 2 });
  const { world } = pool;
  await pool.claim('one');
  await pool.until({ Bound: 1, Idle: 2 });
  const key = { namespace, name: 'one' };
  cnStores.sessions = 2;
  const { source, target } = await pool.move('one');
  await world.until('both serve', async () => cnStores.serving.has(source) && cnStores.serving.has(target));
  await world.drive(world.client.of(CNClaim).delete(key));
  await world.until('the claim is gone', async () => (await world.client.of(CNClaim).find(key)) === undefined);
  expect(cnStores.serving.size).toBe(0);
  await pool.until({ Draining: 2, Idle: 2 });
  cnStores.sessions = 0;
  await pool.until({ Idle: 2 });
});

test('pods of an earlier revision empty out, and claims of a set move to the newest one by one [case 15]', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 1 });
  const { world } = pool;
  await pool.claimSet('cs', 2);
  await pool.claim('alone');
  await pool.until({ Bound: 3, Idle: 1 });
  const [old] = await world.drive(pool.sets());
  await pool.change({ template: { image: 'matrixorigin/matrixone:2.2.0' } });
  let fewest = 3;
  for (let i = 0; i < 120; i++) {
    await world.clock.advance(2_000);
    expect(await world.drive(pool.broken())).toEqual([]);
    fewest = Math.min(fewest, (await world.drive(pool.pods())).filter((pod) => phaseOf(pod) === 'Bound').length);
  }
  expect(fewest).toBe(3);
  const alone = await world.drive(world.client.of(CNClaim).get({ namespace, name: 'alone' }));
  expect(alone.status?.phase).toBe('Outdated');
  expect(podOf(alone)).toContain(old?.metadata.name);
  await pool.until({ Bound: 3, Idle: 1 });
  const sets = await world.drive(pool.sets());
  expect(sets).toHaveLength(2);
  // What is used stays, what is not has been chosen to go, by name.
  const legacy = sets.find(({ metadata }) => metadata.uid === old?.metadata.uid);
  expect([legacy?.spec.replicas, legacy?.spec.podsToDelete]).toEqual([1, []]);
  await world.drive(world.client.of(CNClaim).delete({ namespace, name: 'alone' }));
  await pool.until({ Bound: 2, Idle: 1 });
  await world.until('the old set is gone', async () => (await pool.sets()).length === 1);
  expect((await world.drive(pool.claims())).map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound']);
});

test('an earlier revision that becomes the newest again names nobody any more who is to go', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 1 });
  const { world } = pool;
  await pool.claim('alone');
  await pool.until({ Bound: 1, Idle: 1 });
  const [first] = await world.drive(pool.sets());
  const { image } = (await world.drive(world.client.of(CNPool).get({ namespace, name: 'p' }))).spec.template;
  const listed = async () => {
    const set = (await pool.sets()).find(({ metadata }) => metadata.uid === first?.metadata.uid);
    return set?.spec.podsToDelete;
  };
  await pool.change({ template: { image: 'matrixorigin/matrixone:2.2.0' } });
  await world.until('it names one', async () => (await listed())?.length === 1);
  await pool.change({ template: { image } });
  await world.until('only it is left', async () => (await pool.sets()).length === 1);
  await pool.until({ Bound: 1, Idle: 1 });
  await world.clock.advance(60_000);
  expect(await world.drive(listed())).toBeUndefined();
});

test('a migration takes the source out of service late, tells what is left, and ends [case 58]', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 2 });
  const { world } = pool;
  await pool.claim('one');
  await pool.until({ Bound: 1, Idle: 2 });
  const key = { namespace, name: 'one' };
  cnStores.sessions = 2;
  const { source, target } = await pool.move('one');
  await world.clock.advance(10_000);
  expect([...cnStores.serving].sort()).toEqual([source, target].sort());
  await world.clock.advance(20_000);
  expect([...cnStores.serving]).toEqual([target]);
  const moving = await world.drive(world.client.of(CNClaim).get(key));
  expect(moving.status?.migrate?.source?.connections).toBe(2);
  cnStores.sessions = 0;
  await pool.until({ Bound: 1, Idle: 2 });
  await world.clock.advance(20_000);
  const moved = await world.drive(world.client.of(CNClaim).get(key));
  expect(moved.spec).not.toHaveProperty('sourcePod');
  expect(moved.status).not.toHaveProperty('migrate');
  expect(moved.status?.store?.string).toBe(target);
});
