import type { DynamicObject, Kind } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { FakeServer } from '../client/fake-server.ts';
import { createClient, merge } from '../client/index.ts';
import { type Logger, seededRandom, silentLogger, VirtualClock } from '../core/index.ts';
import { createCache, withReadYourWrites } from './index.ts';

const things: Kind<DynamicObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };
const key = { namespace: 'a', name: 'x' };

function setUp() {
  const clock = new VirtualClock();
  const server = new FakeServer();
  const errors: string[] = [];
  const log: Logger = { ...silentLogger, child: () => log, error: (_, message) => errors.push(message) };
  const client = createClient({ transport: server, clock, random: seededRandom(1) });
  const cache = createCache({ client, clock, random: seededRandom(2), log });
  return {
    clock,
    server,
    cache,
    errors,
    theirs: client.of(things),
    ours: withReadYourWrites(client, cache).of(things),
  };
}

const withoutData = ({ data: _, ...rest }: DynamicObject): DynamicObject => rest as DynamicObject;

test('a store keeps what the transform leaves, of our own writes too; handlers see the same', async () => {
  const { clock, server, cache, theirs, ours } = setUp();
  await theirs.create({ metadata: key, data: 'large', n: 0 });
  const informer = cache.informer(things, { transform: withoutData });
  const seen: DynamicObject[] = [];
  informer.onEvent(({ object }) => seen.push(object));
  await informer.synced;
  expect(informer.store.get(key)).toEqual({ apiVersion: 'v1', kind: 'Thing', metadata: expect.anything(), n: 0 });
  server.autoDeliver = false;
  await ours.patch(key, merge({ n: 1, data: 'larger' }));
  expect(informer.store.get(key)).toEqual({ apiVersion: 'v1', kind: 'Thing', metadata: expect.anything(), n: 1 });
  server.deliver();
  await clock.settle();
  expect(seen.map((object) => object.data)).toEqual([undefined, undefined]);
});

test('another transform is another informer, the same one is shared', async () => {
  const { server, cache } = setUp();
  const [one, same, other, none] = [withoutData, withoutData, (object: DynamicObject) => object, undefined].map(
    (transform) => cache.informer(things, transform ? { transform } : {}),
  );
  await cache.synced();
  expect(server.openWatches).toBe(3);
  expect(one?.store).toBe(same?.store);
  expect(new Set([one?.store, other?.store, none?.store]).size).toBe(3);
  expect(cache.store(things)).toBe(none?.store);
});

test.each([
  [
    'fails',
    (): DynamicObject => {
      throw new Error('bad');
    },
  ],
  ['answers nothing', () => undefined as unknown as DynamicObject],
  ['renames', (object: DynamicObject): DynamicObject => ({ ...object, metadata: { ...object.metadata, name: 'y' } })],
])('a transform that %s leaves objects whole, and is told once', async (_, transform) => {
  const { clock, cache, theirs, errors } = setUp();
  await theirs.create({ metadata: key, data: 'large' });
  const { store, synced } = cache.informer(things, { transform });
  await synced;
  await theirs.create({ metadata: { namespace: 'a', name: 'z' }, data: 'large' });
  await clock.settle();
  expect([...store.list()].map(({ metadata, data }) => [metadata.name, data])).toEqual([
    ['x', 'large'],
    ['z', 'large'],
  ]);
  expect(errors).toEqual([expect.stringContaining('the transform cannot be used')]);
});
