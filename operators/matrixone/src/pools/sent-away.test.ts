import { ConfigMap, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { CNClaim, KRUISE_LIFECYCLE_STATE, LABEL_CLAIMED_BY, LABEL_PHASE, phaseOf, podOf } from '../api/index.ts';
import { directPod } from './test-direct-pod.ts';
import { PoolWorld, TestStores } from './test-pools.ts';

const namespace = 'default';

test('a pod that others made, and that is on its way out, is taken by no claim', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 0 });
  const { world } = pool;
  await world.until('there is a set', async () => (await pool.sets()).length > 0);
  const [set] = await world.drive(pool.sets());
  const agent = await world.drive(world.client.of(ConfigMap).create({ metadata: { namespace, name: 'agent' } }));
  const made = directPod(set?.metadata.name ?? '', agent, { pool: 'p' });
  const { [LABEL_CLAIMED_BY]: _, ...labels } = made.metadata.labels ?? {};
  const own = { ...made, metadata: { ...made.metadata, labels: { ...labels, [LABEL_PHASE]: 'Idle' } } };
  await world.drive(world.client.of(Pod).create(own));
  cnStores.sessions = 1;
  const key = { namespace, name: 'own' };
  const find = () => world.client.of(Pod).find(key);
  await world.until(
    'it is sent away',
    async () => (await find())?.metadata.labels?.[KRUISE_LIFECYCLE_STATE] === 'PreparingDelete',
  );
  await pool.claim('one');
  await world.until(
    'the claim has a pod',
    async () => podOf(await world.client.of(CNClaim).get({ namespace, name: 'one' })) !== undefined,
    120,
  );
  expect(podOf(await world.drive(world.client.of(CNClaim).get({ namespace, name: 'one' })))).not.toBe('own');
  const pod = await world.drive(find());
  expect(pod && phaseOf(pod)).toBe('Idle');
});
