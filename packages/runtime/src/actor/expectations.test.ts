import { afterEach, describe, expect, it } from 'vitest';
import { findCondition } from '../apply/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, Widget, widget, widgetPath } from '../manager/test-kinds.ts';
import { Expectations } from './expectations.ts';
import type { Actor } from './index.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

/** Orders something outside the cluster, which shows as a part that somebody else makes. */
async function setUp(timeout?: number) {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1) });
  managers.push(manager);
  let [orders, looks] = [0, 0];
  const made = () => clock.now() > 0 && [...manager.cache.store(Part).list()].length >= orders;
  const actor: Actor<Widget> = {
    async observe({ expect: awaits }) {
      looks++;
      if (orders > 0 && made()) return undefined;
      return {
        name: 'Order',
        run: async () => {
          orders++;
          awaits('the part', made, timeout === undefined ? {} : { timeout });
        },
      };
    },
    finalize: async () => true,
  };
  manager
    .actor(Widget, actor, { finalizer: 'test.dev/widget' })
    .watches(Part, { map: () => [{ namespace: 'default', name: 'w' }] })
    .run();
  await manager.start();
  await client.of(Widget).create(widget('w'));
  await clock.advance(100);
  const synced = () => {
    const object = api.at<Widget>(`${widgetPath}/w`);
    return object && findCondition(object, 'Synced');
  };
  const warnings = () => api.writes.filter((write) => write.includes('/events')).length;
  const deliver = () => client.of(Part).create({ metadata: { name: `p${orders}`, namespace: 'default' } });
  return { clock, client, synced, warnings, deliver, counts: () => ({ orders, looks }) };
}

describe('what an actor expects', () => {
  it('holds it back until it is seen, says so, and is looked at when something changes, not all the time', async () => {
    const t = await setUp();
    expect(t.synced()).toMatchObject({ status: 'False', reason: 'Expecting', message: 'expects: the part' });
    const before = t.counts();
    await t.clock.advance(20_000);
    expect(t.counts()).toEqual(before);
    await t.deliver();
    await t.clock.advance(100);
    expect(t.synced()).toMatchObject({ status: 'True' });
    expect(t.counts().orders).toBe(1);
  });

  it('is given up when its time is over, with a warning, and the actor goes on', async () => {
    const t = await setUp(5_000);
    const before = t.warnings();
    await t.clock.advance(4_000);
    expect(t.counts().orders).toBe(1);
    await t.clock.advance(2_000);
    expect(t.counts().orders).toBe(2);
    expect(t.warnings()).toBeGreaterThan(before);
  });

  it('does not hold up the end of an object', async () => {
    const t = await setUp();
    await t.client.of(Widget).delete({ namespace: 'default', name: 'w' });
    await t.clock.advance(100);
    expect(t.synced()).toBeUndefined();
  });
});

describe('expectations', () => {
  it('are forgotten with what met them, with the object and with another of its name', () => {
    const expectations = new Expectations();
    const never = { met: () => false, deadline: 100 };
    expectations.set('a', 'u1', 'x', never);
    expectations.set('a', 'u1', 'y', { met: () => true, deadline: 100 });
    expect(expectations.awaited('a', 'u1', 40)).toEqual({ name: 'x', after: 60, timedOut: [] });
    expect(expectations.awaited('a', 'u2', 40)).toEqual({ name: undefined, after: 0, timedOut: [] });
    expect(expectations.size).toBe(0);
    expectations.set('a', 'u2', 'x', never);
    expect(expectations.awaited('a', 'u2', 100)).toEqual({ name: undefined, after: 0, timedOut: ['x'] });
    expect(expectations.size).toBe(0);
    expectations.set('a', 'u2', 'x', never);
    expectations.forget('a');
    expect(expectations.size).toBe(0);
  });

  it('whose check throws are told by the error, once', () => {
    const expectations = new Expectations();
    const broken = () => {
      throw new Error('bad check');
    };
    expectations.set('a', 'u1', 'x', { met: broken, deadline: 100 });
    expect(() => expectations.awaited('a', 'u1', 0)).toThrow('bad check');
    expect(expectations.awaited('a', 'u1', 0).name).toBeUndefined();
  });
});
