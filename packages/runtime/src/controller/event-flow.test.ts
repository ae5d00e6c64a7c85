import { afterEach, describe, expect, it } from 'vitest';
import { merge } from '../client/index.ts';
import { type ObjectKey, seededRandom, sleep, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, Widget, widget } from '../manager/test-kinds.ts';
import { prometheusMetrics } from '../metrics/index.ts';
import { channelSource, type Reconciler } from './index.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

function setUp(options: Partial<Parameters<typeof createManager>[0]> = {}) {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const errors: { readonly err?: unknown }[] = [];
  const quiet = () => {};
  const log = {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (fields: object) => void errors.push(fields),
    child: () => log,
  };
  const manager = createManager({
    client: api.client(),
    name: 'test',
    clock,
    random: seededRandom(1),
    log,
    ...options,
  });
  managers.push(manager);
  const calls: string[] = [];
  const reconciler = (reconcile?: Reconciler['reconcile']): Reconciler => ({
    reconcile: async (context) => {
      calls.push(context.key.name);
      return reconcile?.(context);
    },
  });
  return { clock, api, client: api.client(), manager, calls, errors, reconciler };
}

const key = (name: string): ObjectKey => ({ namespace: 'default', name });

describe('events', () => {
  it('only enqueue: any number of them while a key is worked makes one more run, which sees the last', async () => {
    const t = setUp();
    const seen: (number | undefined)[] = [];
    t.manager.controller(Widget).run(
      t.reconciler(async ({ cache, clock }) => {
        seen.push(cache.store(Widget).get(key('a'))?.spec.size);
        await sleep(clock, 1_000);
      }),
    );
    await t.manager.start();
    await t.client.of(Widget).create(widget('a'));
    await t.clock.settle();
    for (let size = 2; size <= 200; size++) {
      await t.client.of(Widget).patch(key('a'), merge({ spec: { size } }));
      await t.clock.settle();
    }
    expect(seen).toEqual([1]);
    await t.clock.advance(5_000);
    expect(seen).toEqual([1, 200]);
  });

  it('of a change are worked before all that the first listing brought', async () => {
    const t = setUp();
    for (let i = 0; i < 500; i++) await t.client.of(Widget).create(widget(`old-${i}`));
    t.manager
      .controller(Widget)
      .options({ workers: 1 })
      .run(t.reconciler(async ({ clock }) => sleep(clock, 10)));
    await t.manager.start();
    await t.clock.advance(100);
    const before = t.calls.length;
    await t.client.of(Widget).patch(key('old-499'), merge({ spec: { size: 2 } }));
    await t.client.of(Widget).create(widget('new'));
    await t.clock.advance(20);
    expect(t.calls.slice(before, before + 2)).toEqual(['old-499', 'new']);
    await t.clock.advance(10_000);
    expect(t.calls.filter((name) => name === 'old-499')).toHaveLength(1);
  });

  it('wait on a standby once a key, however many come, and are worked when it leads', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const metrics = await prometheusMetrics();
    const client = api.client();
    const replica = (identity: string) =>
      setUp({ client, clock, metrics, election: { namespace: 'system', lease: 'op', identity } });
    const [leader, standby] = [replica('a'), replica('b')];
    const channel = channelSource();
    standby.manager.controller(Widget, 'standby').from(channel.source).run(standby.reconciler());
    await leader.manager.start();
    const started = standby.manager.start();
    for (const name of ['a', 'b', 'c']) await client.of(Widget).create(widget(name));
    for (let size = 2; size < 50; size++) {
      for (const name of ['a', 'b', 'c']) {
        await client.of(Widget).patch(key(name), merge({ spec: { size } }));
        channel.push(key(name));
      }
      await clock.advance(100);
    }
    const depth = (await metrics.text()).match(/workqueue_depth\{name="standby",priority="user"\} (\d+)/);
    expect(depth?.[1]).toBe('3');
    await leader.manager.stop();
    await clock.advance(5_000);
    await started;
    await clock.settle();
    expect(standby.calls.slice(0, 3).toSorted()).toEqual(['a', 'b', 'c']);
    expect(standby.calls.length).toBeLessThanOrEqual(6);
  });
});

describe('what a reconcile asks for', () => {
  it.each([Number.NaN, '5000' as never])('fails with its backoff when requeueAfter is %s', async (requeueAfter) => {
    const t = setUp();
    t.manager.controller(Widget).run(t.reconciler(async () => ({ requeueAfter })));
    await t.manager.start();
    await t.client.of(Widget).create(widget('a'));
    await t.clock.advance(60_000);
    expect(t.calls.length).toBeLessThan(30);
    expect(String(t.errors[0]?.err)).toContain('requeueAfter');
  });

  it('runs once more at once when its time has passed already', async () => {
    const t = setUp();
    t.manager
      .controller(Widget)
      .run(t.reconciler(async () => (t.calls.length === 1 ? { requeueAfter: -5_000 } : undefined)));
    await t.manager.start();
    await t.client.of(Widget).create(widget('a'));
    await t.clock.settle();
    expect(t.calls).toEqual(['a', 'a']);
  });
});

it('metrics go to the registry of their manager, whenever that was made', async () => {
  const [first, second] = [await prometheusMetrics(), await prometheusMetrics()];
  const a = setUp({ metrics: first });
  const b = setUp({ metrics: second });
  for (const t of [b, a]) {
    t.manager.controller(Widget).run(t.reconciler());
    t.manager.controller(Part).run(t.reconciler());
    await t.manager.start();
  }
  await a.client.of(Widget).create(widget('w'));
  await a.clock.settle();
  const adds = (text: string) => text.split('\n').filter((line) => line.startsWith('workqueue_adds_total'));
  expect(adds(await first.text())).toEqual(['workqueue_adds_total{name="widget"} 1']);
  expect(adds(await second.text())).toEqual([]);
  expect(await second.text()).toContain('controller_runtime_max_concurrent_reconciles{controller="configmap"} 16');
});
