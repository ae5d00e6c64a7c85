import { expect, test } from 'vitest';
import { createClient, merge, type Transport } from '../client/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createManager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Widget, widget } from '../manager/test-kinds.ts';

const key = { namespace: 'default', name: 'w' };

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
