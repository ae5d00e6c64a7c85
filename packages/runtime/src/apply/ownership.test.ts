import { beforeEach, expect, test } from 'vitest';
import { type Cache, createCache, type OwnWriteSink, withReadYourWrites } from '../cache/index.ts';
import { type Client, merge } from '../client/index.ts';
import { isConflict, seededRandom, VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, partPath, Widget, widget, widgetPath } from '../manager/test-kinds.ts';
import { ApplyMemory, applyObject } from './index.ts';

const key = { namespace: 'default', name: 'w' };
let clock: VirtualClock;
let api: TestApi;
let client: Client;
let cache: Cache & OwnWriteSink;

beforeEach(async () => {
  clock = new VirtualClock();
  api = new TestApi(clock);
  client = api.client();
  await client.of(Part).create({ metadata: { ...key } } as Part);
  cache = createCache({ client, clock, random: seededRandom(1) });
  await cache.informer(Part).synced;
});

const memory = new ApplyMemory();
const apply = (owner: Widget) =>
  applyObject(
    Part,
    { metadata: { ...key }, data: { a: '1' } },
    {
      client: withReadYourWrites(client, cache),
      cache,
      clock,
      memory,
      fieldManager: 'test',
      owner: { kind: Widget, object: owner },
    },
  );
const owners = () => api.at(`${partPath}/w`)?.metadata.ownerReferences?.map(({ uid }) => uid);

test('a child without a controller is taken by an owner that stays', async () => {
  const owner = await client.of(Widget).create(widget('w'));
  await apply(owner);
  expect(owners()).toEqual([owner.metadata.uid]);
});

test('and by none that goes or is gone, which is not known here: the child may have been let go so that it stays', async () => {
  const held = { ...widget('w'), metadata: { ...widget('w').metadata, finalizers: ['test.dev/own'] } };
  const owner = await client.of(Widget).create(held);
  await client.of(Widget).delete(key);
  await expect(apply(owner)).rejects.toSatisfy(isConflict);
  await client.of(Widget).patch(key, merge({ metadata: { finalizers: null } }));
  expect(api.at(`${widgetPath}/w`)).toBeUndefined();
  await expect(apply(owner)).rejects.toThrow(/w.*: it goes, or is gone, which is not known here yet/);
  await client.of(Widget).create(widget('w'));
  await expect(apply(owner)).rejects.toSatisfy(isConflict);
  expect(owners()).toBeUndefined();
});

test('one that is taken on the way out, knowingly, is', async () => {
  const held = { ...widget('w'), metadata: { ...widget('w').metadata, finalizers: ['test.dev/own'] } };
  await client.of(Widget).create(held);
  await client.of(Widget).delete(key);
  const owner = await client.of(Widget).get(key);
  await apply(owner);
  expect(owners()).toEqual([owner.metadata.uid]);
});

test('a child that has gone is not made again for an owner that has, too: the collector would take it, again and again', async () => {
  const owner = await client.of(Widget).create(widget('w'));
  await apply(owner);
  await client.of(Part).delete(key);
  await clock.settle();
  await apply(owner);
  expect(owners()).toEqual([owner.metadata.uid]);
  await client.of(Part).delete(key);
  await client.of(Widget).delete(key);
  await clock.settle();
  await expect(apply(owner)).rejects.toSatisfy(isConflict);
  expect(api.at(`${partPath}/w`)).toBeUndefined();
});
