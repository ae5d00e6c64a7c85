import { afterEach, expect, it } from 'vitest';
import { type Clock, type Logger, type ObjectKey, silentLogger, sleep, VirtualClock } from '../core/index.ts';
import { prometheusMetrics } from '../metrics/index.ts';
import { createManager, type Manager, type ManagerOptions } from './index.ts';
import { TestApi } from './test-api.ts';
import { Widget } from './test-kinds.ts';

const open: { readonly manager: Manager; readonly world: VirtualClock }[] = [];
afterEach(async () => {
  for (const { manager, world } of open.splice(0)) {
    const stopped = manager.stop();
    await world.advance(60_000);
    await stopped;
  }
});

/** A world whose event loop can be blocked: time goes on, and no timer fires. */
async function setUp(options: Partial<ManagerOptions> = { blockWarning: 1_000 }) {
  const world = new VirtualClock();
  let blocked = 0;
  const clock: Clock = {
    now: () => world.now() + blocked,
    monotonic: () => world.monotonic() + blocked,
    after: (ms, fire) => world.after(ms, fire),
    turn: () => undefined,
  };
  const warnings: { readonly ms: number; readonly reconciles: readonly string[]; readonly moreReconciles?: number }[] =
    [];
  const log: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields as never), child: () => log };
  const registry = await prometheusMetrics();
  const client = new TestApi(world).client();
  const manager = createManager({ client, name: 'test', clock, log, metrics: registry, ...options });
  open.push({ manager, world });
  const block = (ms: number) => {
    blocked += ms;
  };
  const run = (name: string, reconcile: (name: string) => Promise<unknown>) =>
    manager
      .controller(Widget, name)
      .run({ reconcile: async ({ key }: { key: ObjectKey }) => void (await reconcile(key.name)) });
  return { world, warnings, manager, registry, block, run };
}

it('tells of a block of the event loop, how long it was, and which reconciles ran meanwhile', async () => {
  const t = await setUp();
  const blocking = t.run('heavy', async (name) => name === 'long' && t.block(3_000));
  const waiting = t.run('waiting', () => sleep(t.world, 60_000));
  const quick = t.run('quick', async () => {});
  await t.manager.start();
  waiting.enqueue({ namespace: 'a', name: 'w' });
  await t.world.advance(10_000);
  expect(t.warnings).toEqual([]);
  for (let i = 0; i < 5; i++) quick.enqueue({ name: `q${i}` });
  blocking.enqueue({ namespace: 'a', name: 'short' });
  await t.world.settle();
  blocking.enqueue({ namespace: 'a', name: 'long' });
  await t.world.advance(1_000);
  expect(t.warnings).toMatchObject([{ ms: 3_000, reconciles: ['heavy a/long', 'waiting a/w'] }]);
  const text = await t.registry.text();
  expect(text).toContain('coxswain_event_loop_blocks_total 1');
  expect(text).toContain('coxswain_event_loop_blocked_seconds_total 3');
  await t.world.advance(10_000);
  expect(t.warnings).toHaveLength(1);
});

it('tells of no block shorter than the warning, and names ten reconciles at most', async () => {
  const t = await setUp();
  t.run('many', () => sleep(t.world, 60_000));
  const many = t.manager.controller(Widget, 'more').options({ workers: 20 });
  const controller = many.run({ reconcile: () => sleep(t.world, 60_000) });
  await t.manager.start();
  for (let i = 0; i < 15; i++) controller.enqueue({ name: `k${i}` });
  await t.world.advance(1_000);
  t.block(700);
  await t.world.advance(1_000);
  expect(t.warnings).toEqual([]);
  t.block(1_200);
  await t.world.advance(1_000);
  expect(t.warnings).toMatchObject([{ ms: 1_200, moreReconciles: 5 }]);
  expect(t.warnings[0]?.reconciles).toHaveLength(10);
});

it.each([[{ blockWarning: false as const }], [{}]])('is not there when it is not wanted: %j', async (options) => {
  const t = await setUp(options);
  await t.manager.start();
  t.block(5_000);
  await t.world.advance(5_000);
  expect(t.warnings).toEqual([]);
});

it('ends with its manager', async () => {
  const t = await setUp();
  await t.manager.start();
  await t.manager.stop();
  expect(t.world.untilNext).toBeUndefined();
});
