import type { Actor } from '@coxswain/runtime/actor';
import { merge, type Transport, type WatchEvent } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { startTestCluster } from '../test-cluster/index.ts';
import { installWidgets, type Widget, type WidgetKind, widget } from './test-widget.ts';

/** A watch of all namespaces brings nothing after its first list; all else is as it is. */
function stalled(inner: Transport): Transport {
  async function* first(events: AsyncIterable<readonly WatchEvent[]>, signal: AbortSignal | undefined) {
    for await (const batch of events) {
      yield batch;
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
      return;
    }
  }
  return {
    send: (request) => inner.send(request),
    watch: async (request) => {
      const events = await inner.watch(request);
      const ofAll = request.path.endsWith('/widgets') && !request.path.includes('/namespaces/');
      return ofAll ? first(events, request.signal) : events;
    },
    close: () => inner.close(),
  };
}

/** Depends on objects of its own kind, so that two informers of it run: of its namespace, and of all. */
function actorOf(Kind: WidgetKind): Actor<Widget> {
  return {
    dependsOn: [Kind],
    dependencies: ({ spec, metadata: { namespace } }) =>
      spec.needs === undefined ? [] : [{ kind: Kind, key: { namespace, name: spec.needs }, ready: () => true }],
    async observe({ object, status }) {
      status.made = object.spec.size;
      return undefined;
    },
    finalize: async () => true,
  };
}

test('an actor of one namespace follows its objects while another watch of the kind is behind', async () => {
  await using world = await startTestCluster();
  const { client, namespace } = world;
  const Kind = await installWidgets(world);
  const manager = await world.manager({ transport: stalled(await world.transport()) });
  manager.actor(Kind, actorOf(Kind), { finalizer: 'test.dev/widget' }).scope({ namespace }).run();
  await manager.start();
  const widgets = client.of(Kind);
  const key = { namespace, name: 'a' };
  await widgets.create(widget(namespace, 'b'));
  await world.until(Kind, { namespace, name: 'b' }, (found) => found?.status?.made === 1);
  await widgets.create(widget(namespace, 'a', { needs: 'b' }));
  await world.until(Kind, key, (found) => found?.status?.made === 1);
  await widgets.patch(key, merge({ spec: { size: 2 } }));
  await world.until(Kind, key, (found) => found?.status?.made === 2);
  await widgets.delete(key);
  expect(await world.until(Kind, key, (found) => found === undefined)).toBeUndefined();
});
