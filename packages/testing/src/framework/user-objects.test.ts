import { ConfigMap } from '@coxswain/k8s';
import type { Actor } from '@coxswain/runtime/actor';
import { createCache } from '@coxswain/runtime/cache';
import { expect, test } from 'vitest';
import { startTestCluster } from '../test-cluster/index.ts';
import { installWidgets, type Widget, widget } from './test-widget.ts';

test('on an object of the user nothing is written but the finalizer and the status', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const Widget = await installWidgets(world);
  const actor: Actor<Widget> = {
    owns: [ConfigMap],
    async observe({ object: { metadata, spec }, apply, status, conditions, event }) {
      await apply(ConfigMap, { metadata: { name: metadata.name, namespace }, data: { size: `${spec.size}` } });
      event({ type: 'Normal', reason: 'Made', message: 'made', action: 'Make' });
      status.made = spec.size;
      conditions.set('Ready', 'True', 'Made');
      return undefined;
    },
    finalize: async () => true,
  };
  const own = { ...widget(namespace, 'a', { size: 2 }) };
  const before = await client
    .of(Widget)
    .create({ ...own, metadata: { ...own.metadata, annotations: { mine: 'yes' } } });
  const manager = await world.manager();
  manager.actor(Widget, actor, { finalizer: 'test.dev/own' }).run();
  await manager.start();
  const key = { namespace, name: 'a' };
  const after = await world.until(Widget, key, (found) => found?.status?.made === 2);
  await world.settled();
  if (!after) throw new Error('the widget has gone');
  const { finalizers, resourceVersion: _now, managedFields: _fields, ...metadata } = after.metadata;
  const { resourceVersion: _then, managedFields: _given, ...kept } = before.metadata;
  expect(finalizers).toEqual(['test.dev/own']);
  expect(metadata).toEqual(kept);
  expect(after.spec).toEqual(before.spec);
});

test('a time is the same text in the answer of a write, in a list, in a store and from a watch', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const key = { namespace, name: 'a' };
  const { metadata } = await client.of(ConfigMap).create({ metadata: key });
  const cache = createCache({ client, clock: world.clock });
  const maps = cache.informer(ConfigMap, { namespace });
  await cache.synced();
  const watched = await world.until(ConfigMap, key, (found) => found !== undefined);
  const { items } = await client.of(ConfigMap).list({ namespace });
  const listed = items.find(({ metadata: { name } }) => name === 'a');
  const times = [metadata, watched?.metadata, listed?.metadata, maps.store.get(key)?.metadata];
  await cache.stop();
  expect(metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(times.map((one) => one?.creationTimestamp)).toEqual(times.map(() => metadata.creationTimestamp));
});
