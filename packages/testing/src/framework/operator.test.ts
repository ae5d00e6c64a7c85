import { ConfigMap, Event as KubeEvent } from '@coxswain/k8s';
import type { Actor } from '@coxswain/runtime/actor';
import { isReady, isTrueAt } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { keyOf, type ObjectKey } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../test-cluster/index.ts';
import { installWidgets, type Widget, type WidgetKind, widget } from './test-widget.ts';

const finalizer = 'test.dev/widget';

/** Each widget has a ConfigMap of its name that says its size; its status says so too. */
const makesMaps = (passes: string[] = []): Actor<Widget> => ({
  async observe({ object, apply, conditions, status }) {
    passes.push(object.metadata.name);
    const { name, namespace } = object.metadata;
    await apply(ConfigMap, { metadata: { name, namespace }, data: { size: String(object.spec.size) } } as ConfigMap);
    status.made = object.spec.size;
    conditions.set('Ready', 'True', 'Made');
    return undefined;
  },
  finalize: ({ ensureGone, object }) => ensureGone(ConfigMap, keyOf(object)),
});

interface Running {
  readonly Widget: WidgetKind;
  readonly manager: Manager;
  readonly key: (name: string) => ObjectKey;
}

/** A world's operator, at work. */
async function running(world: TestCluster, actor: Actor<Widget>): Promise<Running> {
  const Widget = await installWidgets(world);
  const manager = await world.manager();
  const scope = { namespace: world.namespace };
  manager.actor(Widget, actor, { finalizer, retryAfter: 200 }).owns(ConfigMap, { scope }).run();
  await manager.start();
  return { Widget, manager, key: (name) => ({ namespace: world.namespace, name }) };
}

test('an operator reads its own writes: one pass an object, nothing written twice', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const passes: string[] = [];
  const { Widget, key } = await running(world, makesMaps(passes));
  for (const name of ['a', 'b', 'c']) await client.of(Widget).create(widget(namespace, name, { size: 2 }));
  await world.settled();
  expect(passes.sort()).toEqual(['a', 'b', 'c']);
  const made = await client.of(ConfigMap).get(key('a'));
  const owner = await client.of(Widget).get(key('a'));
  expect(made.data).toEqual({ size: '2' });
  expect(made.metadata.ownerReferences).toMatchObject([{ kind: 'Widget', controller: true, uid: owner.metadata.uid }]);
  expect(owner.status?.made).toBe(2);
  expect([isReady(owner), isTrueAt(owner, 'Synced')]).toEqual([true, true]);
  expect(owner.metadata.finalizers).toEqual([finalizer]);
  // somebody touches what the operator does not look at: nothing is written
  await client.of(ConfigMap).patch(key('a'), merge({ metadata: { labels: { seen: 'yes' } } }));
  const touched = await client.of(ConfigMap).get(key('a'));
  await world.settled();
  expect(await client.of(ConfigMap).get(key('a'))).toEqual(touched);
  expect(await client.of(Widget).get(key('a'))).toEqual(owner);
});

test('a child that others change or delete is put right', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const { Widget, key } = await running(world, makesMaps());
  await client.of(Widget).create(widget(namespace, 'a', { size: 2 }));
  await world.settled();
  await client.of(ConfigMap).patch(key('a'), merge({ data: { size: '7', more: 'theirs' } }));
  await world.settled();
  expect((await client.of(ConfigMap).get(key('a'))).data).toEqual({ size: '2', more: 'theirs' });
  await client.of(ConfigMap).delete(key('a'));
  await world.settled();
  expect((await client.of(ConfigMap).get(key('a'))).data).toEqual({ size: '2' });
  await client.of(Widget).patch(key('a'), merge({ spec: { size: 3 } }));
  await world.settled();
  expect((await client.of(ConfigMap).get(key('a'))).data).toEqual({ size: '3' });
});

test('a deleted object goes when its child has gone', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const { Widget, key } = await running(world, makesMaps());
  await client.of(Widget).create(widget(namespace, 'a'));
  await world.settled();
  await client.of(Widget).delete(key('a'));
  await world.until(Widget, key('a'), (object) => object === undefined);
  expect(await client.of(ConfigMap).find(key('a'))).toBeUndefined();
});

test('finalizers of others stay, come and go around ours', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const { Widget, key } = await running(world, makesMaps());
  const others = Array.from({ length: 8 }, (_, i) => `others.dev/f${i}`);
  const metadata = { name: 'a', namespace, finalizers: others.slice(0, 4) };
  await client.of(Widget).create({ ...widget(namespace, 'a'), metadata });
  // editors that replace the whole list by what they read, with a version, as most do
  const edit = (change: (list: readonly string[]) => string[]) =>
    world.eventually(async () => {
      const object = await client.of(Widget).get(key('a'));
      const finalizers = change(object.metadata.finalizers ?? []);
      await client.of(Widget).update({ ...object, metadata: { ...object.metadata, finalizers } });
    });
  await Promise.all(others.slice(4).map((name) => edit((list) => [...list, name])));
  await world.settled();
  const held = (await client.of(Widget).get(key('a'))).metadata.finalizers;
  expect([...(held ?? [])].sort()).toEqual([...others, finalizer].sort());
  await client.of(Widget).delete(key('a'));
  await Promise.all(others.slice(1).map((name) => edit((list) => list.filter((each) => each !== name))));
  await world.settled();
  expect((await client.of(Widget).get(key('a'))).metadata.finalizers).toEqual(others.slice(0, 1));
  await edit(() => []);
  expect(await client.of(Widget).find(key('a'))).toBeUndefined();
});

test('an object waits for its dependency and goes on as soon as that is ready', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const maker = makesMaps();
  let Kind: WidgetKind | undefined;
  const { Widget, key } = await running(world, {
    ...maker,
    dependencies: ({ spec: { needs } }) => (Kind && needs ? [{ kind: Kind, key: { namespace, name: needs } }] : []),
  });
  Kind = Widget;
  await client.of(Widget).create(widget(namespace, 'second', { needs: 'first' }));
  const waiting = await world.until(Widget, key('second'), (object) => object?.status?.conditions !== undefined);
  expect(waiting?.status?.conditions).toMatchObject([
    { type: 'Synced', status: 'False', reason: 'DependencyNotReady' },
  ]);
  await client.of(Widget).create(widget(namespace, 'first'));
  await world.until(Widget, key('second'), (object) => object !== undefined && isReady(object));
});

test('the status is written beside what others write: nothing of either is lost', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const maker = makesMaps();
  const { Widget, key } = await running(world, {
    ...maker,
    async observe(context) {
      const end = await maker.observe(context);
      // between our reading and our writing somebody else reports, and changes the object
      await client
        .of(Widget)
        .patch(keyOf(context.object), merge({ status: { replicas: 4 } }), { subresource: 'status' });
      await client.of(Widget).patch(keyOf(context.object), merge({ metadata: { annotations: { seen: 'yes' } } }));
      return end;
    },
  });
  await client.of(Widget).create(widget(namespace, 'a', { size: 2 }));
  await world.settled();
  const { status, metadata } = await client.of(Widget).get(key('a'));
  expect([status?.made, status?.replicas, metadata.annotations]).toMatchObject([2, 4, { seen: 'yes' }]);
});

test('events say what happened; the same again is a series', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const maker = makesMaps();
  const { Widget, manager, key } = await running(world, {
    ...maker,
    async observe(context) {
      context.event({ type: 'Warning', reason: 'Odd', message: 'this is odd' });
      return maker.observe(context);
    },
  });
  await client.of(Widget).create(widget(namespace, 'a', { size: 1 }));
  await world.settled();
  for (const size of [2, 3]) {
    await client.of(Widget).patch(key('a'), merge({ spec: { size } }));
    await world.settled();
  }
  await manager.stop();
  const { items } = await client.of(KubeEvent).list({ namespace });
  const odd = items.filter(({ reason }) => reason === 'Odd');
  expect(odd).toMatchObject([{ type: 'Warning', series: { count: 3 } }]);
});

test('a manager that stops lets a running pass end, and writes nothing after', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const maker = makesMaps();
  const { Widget, manager, key } = await running(world, {
    ...maker,
    async observe(context) {
      begun.resolve();
      await go.promise;
      return maker.observe(context);
    },
  });
  await client.of(Widget).create(widget(namespace, 'a', { size: 2 }));
  await begun.promise;
  const stopped = manager.stop();
  await client.of(Widget).create(widget(namespace, 'b', { size: 2 }));
  go.resolve();
  await stopped;
  const [a, b] = [await client.of(Widget).get(key('a')), await client.of(Widget).get(key('b'))];
  expect([a.status?.made, b.status, b.metadata.finalizers]).toEqual([2, undefined, undefined]);
});
