import type { DynamicObject, Kind } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { FakeServer } from '../client/fake-server.ts';
import { createClient, merge, type Resource } from '../client/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createCache, withReadYourWrites } from './index.ts';
import type { InformerScope, StoreEvent } from './types.ts';

const things: Kind<DynamicObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };

function setUp() {
  const clock = new VirtualClock();
  const server = new FakeServer();
  const client = createClient({ transport: server, clock, random: seededRandom(1) });
  const cache = createCache({ client, clock, random: seededRandom(2) });
  const origin = { controller: 'test' };
  const ours = withReadYourWrites(client, cache, origin).of(things);
  const theirs = client.of(things);
  const watch = (scope?: InformerScope) => {
    const informer = cache.informer(things, scope);
    const events: StoreEvent<DynamicObject>[] = [];
    informer.onEvent((event) => events.push(event));
    return { informer, store: informer.store, events };
  };
  return { clock, server, client, cache, ours, theirs, watch, origin };
}

const key = { namespace: 'a', name: 'x' };
const x = (fields: object = {}): DynamicObject => ({ metadata: key, ...fields });

test('the same kind and scope share one watch, which ends with the last user', async () => {
  const { clock, server, cache, watch } = setUp();
  const first = watch();
  const second = watch({});
  const other = watch({ labels: { app: 'web' } });
  await cache.synced();
  expect(server.openWatches).toBe(2);
  expect(first.store).toBe(second.store);
  first.informer.release();
  first.informer.release();
  await clock.settle();
  expect(server.openWatches).toBe(2);
  second.informer.release();
  await clock.settle();
  expect(server.openWatches).toBe(1);
  expect(cache.has(things)).toBe(true);
  other.informer.release();
  await clock.settle();
  expect(server.openWatches).toBe(0);
  expect(cache.has(things)).toBe(false);
  expect(() => cache.store(things)).toThrow('no informer of things');
});

test('a cache of one namespace looks nowhere else, unless a scope says so', async () => {
  const { clock, client, theirs, server } = setUp();
  const nodes: Kind<DynamicObject> = { ...things, kind: 'Node', plural: 'nodes', scope: 'Cluster' };
  for (const namespace of ['a', 'b']) await theirs.create({ metadata: { namespace, name: 'x' } });
  await client.of(nodes).create({ metadata: { name: 'n' } });
  const cache = createCache({ client, clock, random: seededRandom(2), namespace: 'a' });
  const named = (kind: typeof things, scope?: InformerScope) => cache.informer(kind, scope).store;
  const other = named(things, { namespace: 'b' });
  const own = named(things);
  const cluster = named(nodes);
  await cache.synced();
  const keys = (store: typeof own) =>
    [...store.list()].map(({ metadata: { namespace, name } }) => `${namespace ?? ''}/${name}`);
  expect([keys(own), keys(other)]).toEqual([['a/x'], ['b/x']]);
  expect(keys(cluster)).toContain('/n');
  expect(cache.store(things)).toBe(own);
  expect(server.openWatches).toBe(3);
  await cache.stop();
});

test('a released user hears nothing more, the others do', async () => {
  const { clock, cache, theirs, watch } = setUp();
  const [first, second] = [watch(), watch()];
  await cache.synced();
  first.informer.release();
  await theirs.create(x());
  await clock.settle();
  expect([first.events.length, second.events.length]).toEqual([0, 1]);
});

test('a late handler is first told what is there', async () => {
  const { cache, theirs, watch } = setUp();
  await theirs.create(x());
  watch();
  await cache.synced();
  const { events } = watch();
  expect(events).toMatchObject([{ type: 'added', initial: true, object: { metadata: { name: 'x' } } }]);
});

test('a handler that throws harms neither the store nor the other handlers', async () => {
  const { clock, cache, theirs, watch } = setUp();
  cache.informer(things).onEvent(() => {
    throw new Error('bad handler');
  });
  const { events, store } = watch();
  await cache.synced();
  await theirs.create(x());
  await clock.settle();
  expect([events.length, store.size]).toEqual([1, 1]);
});

test('indexes: by label, owner and namespace from the start, others at any time', async () => {
  const { clock, cache, theirs, watch } = setUp();
  const owner = { apiVersion: 'v1', kind: 'Thing', name: 'o', uid: 'uid-o' };
  await theirs.create({
    metadata: { ...key, labels: { app: 'web', tier: 'a' }, ownerReferences: [owner] },
    color: 'red',
  });
  await theirs.create({ metadata: { namespace: 'b', name: 'y', labels: { app: 'web' } }, color: 'blue' });
  const { informer, store } = watch();
  await cache.synced();
  const names = (objects: Iterable<DynamicObject>) => [...objects].map(({ metadata }) => metadata.name);
  expect(names(store.by('label', 'app=web'))).toEqual(['x', 'y']);
  expect(names(store.by('owner', 'uid-o'))).toEqual(['x']);
  expect(names(store.by('namespace', 'b'))).toEqual(['y']);
  expect(names(store.list({ namespace: 'a', labels: { app: 'web' } }))).toEqual(['x']);
  expect(names(store.list({ labels: 'app=web,tier notin (a)' }))).toEqual(['y']);
  expect(() => store.by('color', 'red')).toThrow('no index named "color"');
  informer.addIndex('color', (object) => [String(object.color)]);
  expect(names(store.by('color', 'red'))).toEqual(['x']);
  await theirs.patch(key, merge({ color: 'blue' }));
  await theirs.delete({ namespace: 'b', name: 'y' });
  await clock.settle();
  expect(names(store.by('color', 'blue'))).toEqual(['x']);
  expect(names(store.by('color', 'red'))).toEqual([]);
  expect(() => informer.addIndex('color', () => [])).toThrow('an index named "color" already');
});

test('the server selects by label, and metadata-only stores hold nothing else', async () => {
  const { server, cache, theirs, watch } = setUp();
  await theirs.create({ metadata: { ...key, labels: { app: 'web' } }, data: 'large' });
  await theirs.create({ metadata: { namespace: 'a', name: 'y' } });
  const { store } = watch({ labels: 'app=web', metadataOnly: true });
  await cache.synced();
  expect([...store.list()]).toEqual([
    { apiVersion: 'v1', kind: 'Thing', metadata: expect.objectContaining({ name: 'x' }) },
  ]);
  expect(server.requests.at(-1)?.accept).toContain('as=PartialObjectMetadata');
});

test('our writes show at once, carry their origin, and their echoes are silent', async () => {
  const { clock, server, cache, ours, watch, origin } = setUp();
  server.autoDeliver = false;
  const { store, events } = watch();
  await cache.synced();
  await ours.create(x());
  expect(store.get(key)?.metadata.resourceVersion).toBe('101');
  await ours.patch(key, merge({ n: 1 }));
  expect(store.get(key)).toMatchObject({ n: 1 });
  await ours.delete(key);
  expect(store.get(key)).toBeUndefined();
  server.deliver();
  await clock.settle();
  expect(events.map(({ type, origin }) => [type, origin])).toEqual([
    ['added', origin],
    ['updated', origin],
    ['deleted', origin],
  ]);
});

test('a write of others that ours overtook is told, with what handlers knew before', async () => {
  const { clock, server, cache, ours, theirs, watch } = setUp();
  await theirs.create(x({ n: 0 }));
  const { events, store } = watch();
  await cache.synced();
  server.autoDeliver = false;
  await theirs.patch(key, merge({ spec: 'theirs' }));
  events.length = 0;
  const { resourceVersion = '' } = store.get(key)?.metadata ?? {};
  await ours.patch(key, merge({ metadata: { resourceVersion: server.version }, status: 'ours' }));
  expect(events.splice(0)).toMatchObject([{ type: 'updated', origin: {} }]);
  server.deliver();
  await clock.settle();
  expect(events).toMatchObject([
    {
      type: 'updated',
      object: { spec: 'theirs', status: 'ours' },
      previous: { n: 0, metadata: { resourceVersion } },
    },
  ]);
  expect(events[0]?.origin).toBeUndefined();
});

test('an answer that shows more than our patch said is told as others, once', async () => {
  const { clock, server, cache, ours, theirs, watch } = setUp();
  await theirs.create(x({ n: 0 }));
  const { events } = watch();
  await cache.synced();
  server.autoDeliver = false;
  await theirs.patch(key, merge({ spec: 'theirs' }));
  events.length = 0;
  await ours.patch(key, merge({ status: 'ours' }));
  server.deliver();
  await clock.settle();
  expect(events).toMatchObject([{ type: 'updated', object: { spec: 'theirs', status: 'ours' }, previous: { n: 0 } }]);
  expect(events[0]?.origin).toBeUndefined();
});

test.each([
  ['a patch that changes nothing', (resource: Resource<DynamicObject>) => resource.patch(key, merge({ n: 0 }))],
  ['an update without a version', (resource: Resource<DynamicObject>) => resource.update(x({ n: 0 }))],
  ['a second delete', (resource: Resource<DynamicObject>) => resource.delete(key)],
])('%s does not hide the write of others that it was answered with', async (_, write) => {
  const { clock, server, cache, ours, theirs, watch } = setUp();
  await theirs.create({ metadata: { ...key, finalizers: ['f'] }, n: 0 });
  const { events } = watch();
  await cache.synced();
  server.autoDeliver = false;
  await theirs.patch(key, merge({ gate: 'open' }));
  const send = server.send;
  server.send = async () => ({ status: 200, warnings: [], body: server.all()[0] });
  events.length = 0;
  await write(ours);
  server.send = send;
  server.deliver();
  await clock.settle();
  expect(events).toMatchObject([{ type: 'updated', object: { gate: 'open' }, previous: { n: 0 } }]);
  expect(events[0]?.origin).toBeUndefined();
});

test('a store of metadata only cannot tell what a patch that changes nothing was answered with, and tells it', async () => {
  const { clock, server, cache, ours, theirs, watch } = setUp();
  await theirs.create(x({ n: 0 }));
  const { events } = watch({ metadataOnly: true });
  await cache.synced();
  server.autoDeliver = false;
  await theirs.patch(key, merge({ n: 1 }));
  const send = server.send;
  server.send = async () => ({ status: 200, warnings: [], body: server.all()[0] });
  events.length = 0;
  await ours.patch(key, merge({ n: 1 }));
  server.send = send;
  server.deliver();
  await clock.settle();
  expect(events.map(({ type, origin }) => [type, origin])).toEqual([['updated', undefined]]);
});

test('dry runs, and answers that are another kind, leave the stores alone', async () => {
  const { server, cache, client, watch } = setUp();
  const { store } = watch();
  await cache.synced();
  server.autoDeliver = false;
  const ours = withReadYourWrites(client, cache).of(things);
  await ours.create(x(), { dryRun: true });
  expect(store.size).toBe(0);
  const { path = '' } = server.requests.at(-1) ?? {};
  server.send = async () => ({
    status: 200,
    warnings: [],
    body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { ...key, resourceVersion: '900' } },
  });
  await ours.patch(key, merge({ spec: { replicas: 2 } }), { subresource: 'scale' });
  expect(store.size).toBe(0);
  expect(path).toBe('/api/v1/namespaces/a/things');
});

test('taking off the last finalizer of an object being deleted ends it', async () => {
  const { server, cache, ours, theirs, watch } = setUp();
  await theirs.create({ metadata: { ...key, finalizers: ['f'], deletionTimestamp: '2026-01-01T00:00:00Z' } });
  const { store } = watch();
  await cache.synced();
  server.autoDeliver = false;
  await ours.patch(key, merge({ metadata: { finalizers: [] } }));
  expect(store.get(key)).toBeUndefined();
});

test('a delete that finds nothing takes out what the store still showed', async () => {
  const { server, cache, ours, theirs, watch } = setUp();
  await theirs.create(x());
  const { store } = watch();
  await cache.synced();
  server.autoDeliver = false;
  await theirs.delete(key);
  await expect(ours.delete(key)).rejects.toMatchObject({ reason: 'NotFound' });
  expect(store.get(key)).toBeUndefined();
});

test('stopping the cache rejects who still waits for its first state', async () => {
  const { cache, server, watch } = setUp();
  server.watch = () => new Promise(() => {});
  watch();
  const synced = cache.synced();
  await cache.stop();
  await expect(synced).rejects.toThrow('was stopped');
  expect(() => cache.informer(things)).toThrow('the cache was stopped');
});

test('the last user frees the store, and the next one starts afresh', async () => {
  const { clock, server, cache, theirs, watch } = setUp();
  await theirs.create(x());
  const first = watch();
  await cache.synced();
  first.informer.release();
  await clock.settle();
  expect([first.store.size, cache.informers(), clock.untilNext]).toEqual([0, [], undefined]);
  await theirs.create({ metadata: { namespace: 'a', name: 'y' } });
  const second = watch();
  await cache.synced();
  expect([second.store.size, server.openWatches]).toEqual([2, 1]);
  expect(first.events).toHaveLength(1);
});

test('reads of a kind nobody declared go to the server and start no watch', async () => {
  const { server, cache, theirs, ours } = setUp();
  await theirs.create(x({ n: 1 }));
  expect(await ours.get(key)).toMatchObject({ n: 1 });
  expect(await ours.find({ namespace: 'a', name: 'none' })).toBeUndefined();
  expect((await ours.list({ namespace: 'a' })).items).toHaveLength(1);
  await ours.patch(key, merge({ n: 2 }));
  await ours.delete(key);
  expect([cache.has(things), server.openWatches]).toEqual([false, 0]);
  expect(server.requests.some(({ query }) => query?.watch)).toBe(false);
});

test('two thousand informers, opened and released, leave no timers, watches or handlers', async () => {
  const { clock, server, cache } = setUp();
  for (let i = 0; i < 2_000; i++) {
    const informer = cache.informer(things, { labels: { i: String(i) } });
    informer.onEvent(() => {});
    if (i % 2 === 0) await informer.synced;
    informer.release();
  }
  await clock.settle();
  expect([server.openWatches, cache.informers().length, clock.untilNext]).toEqual([0, 0, undefined]);
});
