import type { DynamicObject, Kind } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { FakeServer } from '../client/fake-server.ts';
import { createClient, merge } from '../client/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createCache, type StoreEvent, withReadYourWrites } from './index.ts';

const things: Kind<DynamicObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };

function setUp() {
  const clock = new VirtualClock();
  const server = new FakeServer();
  const client = createClient({ transport: server, clock, random: seededRandom(1) });
  const cache = createCache({ client, clock, random: seededRandom(2) });
  const ours = withReadYourWrites(client, cache, {}).of(things);
  const theirs = client.of(things);
  const create = (namespace: string, name: string) => theirs.create({ metadata: { namespace, name }, n: 0 });
  const watch = (...namespaces: readonly string[]) => {
    const informer = cache.informer(things, { namespaces });
    const events: string[] = [];
    informer.onEvent((event) => events.push(`${event.type} ${nameOf(event)}`));
    const names = () => [...informer.store.list()].map(({ metadata }) => metadata.name).sort();
    return { informer, store: informer.store, events, names };
  };
  const paths = () => server.requests.filter(({ query }) => query?.watch).map(({ path }) => path);
  return { clock, server, cache, ours, theirs, create, watch, paths };
}

const nameOf = (event: StoreEvent<DynamicObject>) =>
  `${event.object.metadata.namespace}/${event.object.metadata.name}${event.origin ? ' (ours)' : ''}`;

test('holds the objects of its namespaces and no others, through one watch each', async () => {
  const { clock, cache, create, watch, paths } = setUp();
  for (const namespace of ['a', 'b', 'c']) await create(namespace, `${namespace}1`);
  const { informer, store, events, names } = watch('a', 'b', 'a');
  expect(informer.hasSynced).toBe(false);
  await informer.synced;
  expect(informer.hasSynced).toBe(true);
  expect(names()).toEqual(['a1', 'b1']);
  expect(paths()).toEqual(['/api/v1/namespaces/a/things', '/api/v1/namespaces/b/things']);
  await create('b', 'b2');
  await create('c', 'c2');
  await clock.settle();
  expect(events).toEqual(['added a/a1', 'added b/b1', 'added b/b2']);
  expect([store.size, [...store.list({ namespace: 'b' })].length, [...store.list({ namespace: 'c' })].length]).toEqual([
    3, 2, 0,
  ]);
  expect(store.get({ namespace: 'c', name: 'c1' })).toBeUndefined();
  expect(store.resourceVersion).toBe('104');
  expect(cache.store(things)).toBe(store);
});

test('indexes and our own writes work through it as through one', async () => {
  const { server, watch, ours, create } = setUp();
  await create('a', 'a1');
  const { informer, store, events } = watch('a', 'b');
  informer.addIndex('n', ({ n }) => [String(n)]);
  await informer.synced;
  server.autoDeliver = false;
  await ours.create({ metadata: { namespace: 'b', name: 'b1' }, n: 0 });
  await ours.patch({ namespace: 'a', name: 'a1' }, merge({ n: 1 }));
  expect([...store.by('n', '0')].map(({ metadata }) => metadata.name)).toEqual(['b1']);
  expect(events).toEqual(['added a/a1', 'added b/b1 (ours)', 'updated a/a1 (ours)']);
});

test('shares its watches with others, and ends those that nobody else uses', async () => {
  const { clock, server, cache, watch } = setUp();
  const [first, second] = [watch('a', 'b'), watch('b', 'c')];
  const single = cache.informer(things, { namespace: 'a' });
  await cache.synced();
  expect(server.openWatches).toBe(3);
  first.informer.release();
  first.informer.release();
  await clock.settle();
  expect(server.openWatches).toBe(3);
  second.informer.release();
  await clock.settle();
  expect(server.openWatches).toBe(1);
  expect(cache.store(things)).toBe(single.store);
  single.release();
  await clock.settle();
  expect([server.openWatches, cache.has(things)]).toEqual([0, false]);
});

test('takes other namespaces at run time, and tells what comes and goes', async () => {
  const { clock, server, create, watch } = setUp();
  for (const namespace of ['a', 'b', 'c']) await create(namespace, `${namespace}1`);
  const { informer, store, events, names } = watch('a', 'b');
  informer.addIndex('n', ({ n }) => [String(n)]);
  await informer.synced;
  events.length = 0;
  informer.setNamespaces(['b', 'c']);
  expect(informer.hasSynced).toBe(false);
  await informer.synced;
  expect(events).toEqual(['deleted a/a1', 'added c/c1']);
  expect(names()).toEqual(['b1', 'c1']);
  expect([...store.by('n', '0')]).toHaveLength(2);
  await create('a', 'a2');
  await create('c', 'c2');
  await clock.settle();
  expect(events.slice(2)).toEqual(['added c/c2']);
  expect(server.openWatches).toBe(2);
});

test('a handler taken off hears no more, of later namespaces neither', async () => {
  const { clock, create, cache } = setUp();
  const informer = cache.informer(things, { namespaces: ['a'] });
  let heard = 0;
  const off = informer.onEvent(() => heard++);
  await informer.synced;
  off();
  informer.setNamespaces(['a', 'b']);
  await create('a', 'x');
  await create('b', 'x');
  await clock.settle();
  expect(heard).toBe(0);
});

test('no namespaces select nothing; one and several, or of a kind without, are refused', async () => {
  const { cache, server, watch } = setUp();
  const { informer, names } = watch();
  await informer.synced;
  expect([server.openWatches, names()]).toEqual([0, []]);
  expect(() => cache.informer(things, { namespace: 'a', namespaces: ['b'] })).toThrow('not both');
  expect(() => cache.informer({ ...things, scope: 'Cluster' }, { namespaces: ['a'] })).toThrow('its objects have none');
  expect(() => cache.informer(things).setNamespaces(['a'])).toThrow('was not declared with `namespaces`');
});
