import { ConfigMap } from '@coxswain/k8s';
import type { WatchEvent, WatchOptions } from '@coxswain/runtime/client';
import { ApiError, isExpired } from '@coxswain/runtime/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';
import { installWidgets, widget } from './test-widget.ts';

let world: TestCluster;
beforeAll(async () => {
  world = await startTestCluster();
});
afterAll(() => world.stop());

const maps = () => world.client.of(ConfigMap);
const create = (name: string, labels: Record<string, string> = {}, data = {}) =>
  maps().create({ metadata: { name, namespace: world.namespace, labels }, data });
const nameOf = ({ metadata }: ConfigMap) => metadata.name;

/** Events of a watch until there are `count`, each as `TYPE name`. */
async function events(options: WatchOptions, count: number): Promise<WatchEvent<ConfigMap>[]> {
  const abort = new AbortController();
  const stream = await maps().watch({ namespace: world.namespace, ...options, signal: abort.signal });
  const seen: WatchEvent<ConfigMap>[] = [];
  for await (const batch of stream) {
    seen.push(...batch);
    if (seen.length >= count) break;
  }
  abort.abort();
  return seen.slice(0, count);
}

const told = ({ type, object }: WatchEvent<ConfigMap>) => `${type} ${(object as ConfigMap).metadata?.name ?? ''}`;

test('a list comes by pages: all of it, each once, as it was at the first page', async () => {
  const names = Array.from({ length: 23 }, (_, i) => `page-${String(i).padStart(2, '0')}`);
  for (const name of names) await create(name, { set: 'pages' });
  const { namespace } = world;
  const first = await maps().list({ namespace, labels: 'set=pages', limit: 10 });
  expect(first.items.length).toBe(10);
  await create('page-99', { set: 'pages' });
  await maps().delete({ namespace, name: 'page-22' });
  const rest: string[] = [];
  const next = first.metadata.continue ?? '';
  for await (const each of maps().listAll({ namespace, labels: 'set=pages', limit: 10, continue: next }))
    rest.push(nameOf(each));
  expect([...first.items.map(nameOf), ...rest]).toEqual(names);
});

test('metadata only: no data crosses the wire', async () => {
  await create('meta', { set: 'meta' }, { a: 'b' });
  const { items } = await maps().list({ namespace: world.namespace, labels: { set: 'meta' }, metadataOnly: true });
  expect(items.map((item) => [nameOf(item), item.data])).toEqual([['meta', undefined]]);
});

test('a watch tells each change after the version, in order, and what leaves the selection', async () => {
  const { namespace } = world;
  const from = (await maps().list({ namespace })).metadata.resourceVersion ?? '';
  await create('w1', { set: 'watch' });
  await create('w2', { set: 'other' });
  await maps().patch({ namespace, name: 'w1' }, { type: 'merge', body: { data: { a: '1' } } });
  await maps().patch({ namespace, name: 'w1' }, { type: 'merge', body: { metadata: { labels: { set: 'other' } } } });
  await create('w3', { set: 'watch' });
  const seen = await events({ resourceVersion: from, labels: { set: 'watch' } }, 4);
  expect(seen.map(told)).toEqual(['ADDED w1', 'MODIFIED w1', 'DELETED w1', 'ADDED w3']);
});

test('a streamed list is what is there, ended by a bookmark that says so', async () => {
  for (const name of ['s1', 's2']) await create(name, { set: 'stream' });
  const options = { labels: { set: 'stream' }, sendInitialEvents: true, allowBookmarks: true };
  const seen = await events(options, 3);
  expect(seen.slice(0, 2).map(told).sort()).toEqual(['ADDED s1', 'ADDED s2']);
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  expect(seen[2]).toMatchObject({ type: 'BOOKMARK', object: { metadata: { annotations } } });
  const resourceVersion = (seen[2]?.object as ConfigMap | undefined)?.metadata.resourceVersion;
  await create('s3', { set: 'stream' });
  const after = await events({ labels: { set: 'stream' }, resourceVersion: resourceVersion ?? '' }, 1);
  expect(after.map(told)).toEqual(['ADDED s3']);
});

test('a watch from a forgotten version gets 410', async () => {
  const Widget = await installWidgets(world);
  const { client, namespace } = world;
  await client.of(Widget).create(widget(namespace, 'a'));
  await world.compact();
  // the first version of all is older than the kind
  const opening = client.of(Widget).watch({ namespace, resourceVersion: '1' });
  const stream = await opening.catch((error: unknown) => error as ApiError);
  if (stream instanceof ApiError) return expect(isExpired(stream)).toBe(true);
  for await (const [event] of stream) {
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    return;
  }
  expect.fail('the watch ended without a word');
});
