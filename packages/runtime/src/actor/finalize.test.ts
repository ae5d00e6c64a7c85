import { expect, test } from 'vitest';
import { createClient, merge, type Transport } from '../client/index.ts';
import { notFound, seededRandom, VirtualClock } from '../core/index.ts';
import { createManager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Widget, widget, widgetPath } from '../manager/test-kinds.ts';

const key = { namespace: 'default', name: 'w' };

test('one that the server does not know for a moment, as when its CRD is made anew, is finalized afterwards', async () => {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  let isThere = true;
  const transport: Transport = {
    send: (request) =>
      isThere || request.method !== 'GET' ? api.send(request) : Promise.reject(notFound(Widget, key.name)),
    close: () => api.close(),
    watch: (request) => api.watch(request),
  };
  const client = createClient({ transport, clock, random: seededRandom(1), fieldManager: 'test' });
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1), shutdownTimeout: 0 });
  const observe = () => Promise.resolve(undefined);
  const finalize = () => Promise.resolve(true);
  manager.actor(Widget, { observe, finalize }, { finalizer: 'test.dev/widget' }).run();
  await manager.start();
  await api.client().of(Widget).create(widget('w'));
  await clock.settle();
  isThere = false;
  await api.client().of(Widget).delete(key);
  await clock.settle();
  isThere = true;
  await clock.advance(10_000);
  expect(api.at(`${widgetPath}/w`)).toBeUndefined();
  await manager.stop();
});

test('one that is gone, which is not known here, is not finalized: all that has its name may be the next one’s', async () => {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  let hears = true;
  const transport: Transport = {
    send: (request) => api.send(request),
    close: () => api.close(),
    async watch(request) {
      const stream = await api.watch(request);
      return (async function* () {
        for await (const events of stream) if (hears) yield events;
      })();
    },
  };
  const late = createClient({ transport, clock, random: seededRandom(1), fieldManager: 'test' });
  const manager = createManager({ client: late, name: 'test', clock, random: seededRandom(1), shutdownTimeout: 0 });
  let finalized = 0;
  const finalize = () => Promise.resolve(++finalized < 0);
  manager
    .actor(Widget, { observe: () => Promise.resolve(undefined), finalize }, { finalizer: 'test.dev/widget' })
    .run();
  await manager.start();
  await client.of(Widget).create(widget('w'));
  await clock.settle();
  await client.of(Widget).delete(key);
  await clock.advance(10_000);
  expect(finalized).toBeGreaterThan(1);
  hears = false;
  // Its status may have been written, which tells the operator what there is.
  await clock.advance(10_000);
  const before = finalized;
  await client.of(Widget).patch(key, merge({ metadata: { finalizers: null } }));
  await client.of(Widget).create(widget('w'));
  await clock.advance(60_000);
  expect(finalized).toBe(before);
  await manager.stop();
});
