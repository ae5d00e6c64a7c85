import { afterEach, expect, it } from 'vitest';
import { findCondition } from '../apply/index.ts';
import { merge } from '../client/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, Widget, widget, widgetPath } from '../manager/test-kinds.ts';
import { HeldStatuses } from './held-status.ts';
import type { Actor } from './index.ts';

const key = { namespace: 'default', name: 'w' };

/** Fields that only some of these actors have. */
const fieldsOf = (status: object): { seen?: number | undefined } => status;

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

/** Counts in its status how big its part is; ready at 10 and more. */
async function setUp(statusDelay: number, observe?: Actor<Widget>['observe']) {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1), shutdownTimeout: 0 });
  managers.push(manager);
  const actor: Actor<Widget> = {
    async observe(context) {
      const { conditions, status, owned } = context;
      status.made = Number(owned(Part)[0]?.data?.size ?? 0);
      const isReady = status.made >= 10;
      conditions.set('Ready', isReady ? 'True' : 'False', isReady ? 'Big' : 'Small', `its size is ${status.made}`);
      return observe?.(context);
    },
    finalize: () => Promise.resolve(true),
  };
  manager.actor(Widget, actor, { finalizer: 'test.dev/widget', statusDelay, retryAfter: 600_000 }).owns(Part).run();
  await manager.start();
  await client.of(Widget).create(widget('w'));
  await clock.settle();
  const stored = () => api.at<Widget>(`${widgetPath}/w`);
  const owner = {
    apiVersion: 'test.dev/v1',
    kind: 'Widget',
    name: 'w',
    uid: stored()?.metadata.uid ?? '',
    controller: true,
  };
  const metadata = { ...key, ownerReferences: [owner] };
  await client.of(Part).create({ metadata, data: { size: '0' } });
  return {
    api,
    clock,
    client,
    stored,
    ready: () => findCondition(stored() ?? widget('w'), 'Ready'),
    /** Gives the part another size, and lets that be seen. */
    async grow(size: number) {
      await client.of(Part).patch(key, merge({ data: { size: `${size}` } }));
      await clock.settle();
    },
    statusWrites: () => api.writes.filter((write) => write.endsWith('/status')).length,
    events: () => api.writes.filter((write) => write.includes('/events')).length,
  };
}

it('writes what changes on the way once, and within the delay', async () => {
  const t = await setUp(1_000);
  await t.clock.advance(5_000);
  const before = t.statusWrites();
  for (const size of [1, 2, 3]) {
    await t.grow(size);
    await t.clock.advance(300);
  }
  expect(t.statusWrites()).toBe(before);
  await t.clock.advance(100);
  expect(t.statusWrites()).toBe(before + 1);
  expect(t.stored()?.status?.made).toBe(3);
  expect(t.ready()).toMatchObject({ status: 'False', message: 'its size is 3' });
  await t.clock.advance(60_000);
  expect(t.statusWrites()).toBe(before + 1);
});

it('keeps no verdict waiting, and nothing of what waited is left behind', async () => {
  const t = await setUp(1_000);
  await t.clock.advance(5_000);
  const before = t.statusWrites();
  await t.grow(9);
  expect(t.statusWrites()).toBe(before);
  await t.grow(10);
  expect(t.statusWrites()).toBe(before + 1);
  expect(t.stored()?.status?.made).toBe(10);
  expect(t.ready()?.status).toBe('True');
  await t.grow(2);
  expect(t.ready()?.status).toBe('False');
  expect(t.statusWrites()).toBe(before + 2);
  await t.clock.advance(60_000);
  expect(t.statusWrites()).toBe(before + 2);
});

it('says at once that a condition is True of a new generation', async () => {
  const t = await setUp(1_000);
  await t.grow(10);
  await t.client.of(Widget).patch(key, merge({ spec: { size: 2 } }));
  await t.clock.settle();
  expect(t.ready()).toMatchObject({ status: 'True', observedGeneration: t.stored()?.metadata.generation });
});

it('writes nothing when what waited is undone meanwhile', async () => {
  const t = await setUp(1_000);
  await t.clock.advance(5_000);
  const before = t.statusWrites();
  await t.grow(5);
  await t.grow(0);
  await t.clock.advance(60_000);
  expect(t.statusWrites()).toBe(before);
});

it('lets the next pass see what waits, so that nothing is told or done twice', async () => {
  const seen: unknown[] = [];
  const t = await setUp(1_000, async ({ status, event }) => {
    const own = fieldsOf(status);
    seen.push(own.seen);
    if (own.seen !== status.made) event({ reason: 'Grown', message: `to ${status.made}` });
    own.seen = status.made;
    return undefined;
  });
  await t.clock.advance(5_000);
  seen.length = 0;
  const before = t.events();
  await t.grow(4);
  await t.client.of(Part).patch(key, merge({ metadata: { annotations: { touched: 'true' } } }));
  await t.clock.advance(60_000);
  expect(seen.slice(0, 2)).toEqual([0, 4]);
  expect(t.events()).toBe(before + 1);
});

it('tells a failure at once', async () => {
  let broken = false;
  const t = await setUp(60_000, () => (broken ? Promise.reject(new Error('no disk')) : Promise.resolve(undefined)));
  broken = true;
  await t.grow(1);
  expect(findCondition(t.stored() ?? widget('w'), 'Synced')?.message).toBe('Last error: no disk');
});

it('keeps what others write into the status while something waits', async () => {
  const t = await setUp(1_000);
  await t.clock.advance(5_000);
  await t.grow(3);
  await t.client.of(Widget).patch(key, merge({ status: { note: 'mine' } }), { subresource: 'status' });
  await t.clock.advance(2_000);
  expect(t.stored()?.status).toMatchObject({ made: 3, note: 'mine' });
});

it('lays nothing of an object that is gone over another of its name', () => {
  const held = new HeldStatuses<Widget>(1_000);
  const [old, other] = ['1', '2'].map((uid) => ({ ...widget('w'), metadata: { ...key, uid } }));
  if (!old || !other) throw new Error('two are there');
  expect(held.hold('w', old, { made: 3 }, 0)).toBe(1_000);
  expect(held.over('w', old).status).toEqual({ made: 3 });
  expect(held.over('w', other)).toBe(other);
  expect(held.hold('w', other, { made: 4 }, 900)).toBe(1_000);
  held.forget('w');
  expect(held.over('w', other)).toBe(other);
});
