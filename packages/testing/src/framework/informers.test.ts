import { ConfigMap, Namespace, Secret } from '@coxswain/k8s';
import { createCache, type Store } from '@coxswain/runtime/cache';
import { expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';

const names = (store: Store<ConfigMap>) => [...store.list()].map(({ metadata }) => metadata.name).sort();

/** A manager only holds the cache, so that the world knows when it has caught up. */
async function cacheOf(world: TestCluster) {
  const { cache } = await world.manager({ name: 'reader' });
  return cache;
}

const labelled = (namespace: string, name: string, set: string) => ({
  metadata: { name, namespace, labels: { set } },
  data: { of: name },
});

test('informers hold what their scope says: labels, fields, namespace, metadata', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const elsewhere = `${namespace}-b`;
  await client.of(Namespace).create({ metadata: { name: elsewhere } });
  const cache = await cacheOf(world);
  const byLabel = cache.informer(ConfigMap, { namespace, labels: { set: 'in' } });
  const byField = cache.informer(ConfigMap, { namespace, fields: { 'metadata.name': 'a' } });
  const inNamespace = cache.informer(ConfigMap, { namespace: elsewhere });
  const metadata = cache.informer(ConfigMap, { namespace, labels: 'set', metadataOnly: true });
  const maps = client.of(ConfigMap);
  await maps.create(labelled(namespace, 'a', 'in'));
  await cache.synced();
  await maps.create(labelled(namespace, 'b', 'out'));
  await maps.create(labelled(elsewhere, 'c', 'in'));
  await world.settled();
  const own = (store: Store<ConfigMap>) => names(store).filter((name) => name !== 'kube-root-ca.crt');
  expect([byLabel, byField, inNamespace, metadata].map(({ store }) => own(store))).toEqual([
    ['a'],
    ['a'],
    ['c'],
    ['a', 'b'],
  ]);
  expect(byLabel.store.get({ namespace, name: 'a' })?.data).toEqual({ of: 'a' });
  expect(metadata.store.get({ namespace, name: 'a' })?.data).toBeUndefined();
  const relabel = (name: string, set: string) =>
    maps.patch({ namespace, name }, { type: 'merge', body: { metadata: { labels: { set } } } });
  await relabel('a', 'out');
  await relabel('b', 'in');
  await world.settled();
  expect(names(byLabel.store)).toEqual(['b']);
});

test('an index is added at any time and follows changes', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const cache = await cacheOf(world);
  const informer = cache.informer(Secret, { namespace });
  const secret = (name: string, type: string) => ({ metadata: { name, namespace }, type });
  await client.of(Secret).create(secret('one', 'a/x'));
  await cache.synced();
  informer.addIndex('type', ({ type }) => (type ? [type] : []));
  await client.of(Secret).create(secret('two', 'a/y'));
  await client.of(Secret).create(secret('three', 'a/x'));
  await client.of(Secret).delete({ namespace, name: 'one' });
  await world.settled();
  expect([...informer.store.by('type', 'a/x')].map(({ metadata }) => metadata.name)).toEqual(['three']);
});

test('handlers see every object come, change and go; a late one is told what is there', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const cache = await cacheOf(world);
  const informer = cache.informer(ConfigMap, { namespace, labels: 'set' });
  const seen: string[] = [];
  informer.onEvent(({ type, object }) => seen.push(`${type} ${object.metadata.name}`));
  await informer.synced;
  await client.of(ConfigMap).create(labelled(namespace, 'a', '1'));
  await client.of(ConfigMap).create(labelled(namespace, 'b', '1'));
  await client.of(ConfigMap).update({ ...labelled(namespace, 'a', '1'), data: { changed: 'yes' } });
  await client.of(ConfigMap).delete({ namespace, name: 'b' });
  await world.settled();
  expect(seen).toEqual(['added a', 'added b', 'updated a', 'deleted b']);
  const late: string[] = [];
  informer.onEvent(({ type, object }) => late.push(`${type} ${object.metadata.name}`));
  expect(late).toEqual(['added a']);
});

test('a cache whose past was forgotten while it was cut off catches up', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const inner = await world.transport();
  let cut = new AbortController();
  let down = false;
  const refuse = () => Promise.reject(new Error('cut off'));
  const manager = await world.manager({
    transport: {
      send: (request) => (down ? refuse() : inner.send(request)),
      watch: (request) => {
        if (down) return refuse();
        const signals = [cut.signal, ...(request.signal ? [request.signal] : [])];
        return inner.watch({ ...request, signal: AbortSignal.any(signals) });
      },
      close: () => inner.close(),
    },
  });
  const informer = manager.cache.informer(ConfigMap, { namespace, labels: 'set' });
  await client.of(ConfigMap).create(labelled(namespace, 'a', '1'));
  await informer.synced;
  down = true;
  cut.abort(new Error('cut off'));
  cut = new AbortController();
  await client.of(ConfigMap).create(labelled(namespace, 'b', '1'));
  await client.of(ConfigMap).delete({ namespace, name: 'a' });
  await world.compact();
  down = false;
  await world.settled();
  expect(names(informer.store)).toEqual(['b']);
});

test('a cache of its own, over the client, needs no manager', async () => {
  await using world = await startTestCluster();
  const { client, clock, namespace } = world;
  const cache = createCache({ client, clock });
  const informer = cache.informer(ConfigMap, { namespace, labels: 'set' });
  await cache.synced();
  await client.of(ConfigMap).create(labelled(namespace, 'a', '1'));
  await world.eventually(() => informer.store.size === 1);
  await cache.stop();
});
