import { ConfigMap, Lease } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';

const lease = 'widgets';

/** A replica that writes its name into each ConfigMap with a label. */
async function replica(world: TestCluster, identity: string) {
  const { namespace } = world;
  const manager = await world.manager({ name: identity, election: { namespace, lease, identity } });
  manager
    .controller(ConfigMap)
    .scope({ namespace, labels: 'work' })
    .run({
      async reconcile({ key, client, cache }) {
        const object = cache.store(ConfigMap).get(key);
        if (!object || object.data?.['by']) return;
        await client.of(ConfigMap).patch(key, merge({ data: { by: identity } }));
      },
    });
  return manager;
}

test('the standby takes over when the leader stops, with a warm cache; one works at a time', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const work = (name: string) =>
    client.of(ConfigMap).create({ metadata: { name, namespace, labels: { work: 'yes' } } });
  const doneBy = async (name: string) => {
    const object = await world.until(ConfigMap, { namespace, name }, (each) => each?.data?.['by'] !== undefined);
    return object?.data?.['by'];
  };
  const first = await replica(world, 'first');
  await first.start();
  await work('one');
  expect(await doneBy('one')).toBe('first');
  const second = await replica(world, 'second');
  const leads = second.start();
  await second.cache.synced();
  await world.eventually(() => second.cache.store(ConfigMap).size === 1);
  await work('two');
  expect(await doneBy('two')).toBe('first');
  await first.stop();
  await leads;
  await work('three');
  expect(await doneBy('three')).toBe('second');
  expect((await client.of(Lease).get({ namespace, name: lease })).spec?.holderIdentity).toBe('second');
});
