import { afterEach, describe, expect, it } from 'vitest';
import { type Logger, type ObjectKey, seededRandom, sleep, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Widget, widget } from '../manager/test-kinds.ts';
import { channelSource, type ExternalSource, pollSource } from './index.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

interface Bucket extends ObjectKey {
  readonly size: number;
}

function setUp(elected?: string, clock = new VirtualClock(), api = new TestApi(clock)) {
  const errors: { readonly source?: string; readonly failures?: number }[] = [];
  const quiet = () => {};
  const logger = (bound: object): Logger => ({
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (fields) => void errors.push({ ...bound, ...fields }),
    child: (fields) => logger({ ...bound, ...fields }),
  });
  const manager = createManager({
    client: api.client(),
    name: 'test',
    clock,
    random: seededRandom(1),
    log: logger({}),
    ...(elected ? { election: { namespace: 'system', lease: 'op', identity: elected } } : {}),
  });
  managers.push(manager);
  const calls: string[] = [];
  const reconciler = { reconcile: async ({ key: { name } }: { key: ObjectKey }) => void calls.push(name) };
  const run = (...sources: readonly ExternalSource[]) => {
    const builder = manager.controller(Widget);
    for (const source of sources) builder.from(source);
    return builder.run(reconciler);
  };
  return { clock, api, manager, calls, errors, run };
}

const bucket = (name: string, size = 1): Bucket => ({ namespace: 'default', name, size });

describe('a polled source', () => {
  it('enqueues all at first, then what changed, came or went, and nothing else', async () => {
    const t = setUp();
    let outside = [bucket('a'), bucket('b')];
    t.run(pollSource({ every: 60_000, list: async () => outside }));
    await t.manager.start();
    await t.clock.settle();
    expect(t.calls.splice(0)).toEqual(['a', 'b']);
    await t.clock.advance(600_000);
    expect(t.calls).toEqual([]);
    outside = [bucket('a', 2), bucket('c')];
    await t.clock.advance(66_000);
    expect(t.calls.splice(0).toSorted()).toEqual(['a', 'b', 'c']);
    await t.clock.advance(600_000);
    expect(t.calls).toEqual([]);
  });

  it('maps items to keys, several to one', async () => {
    const t = setUp();
    const members = [
      { id: 1, team: 'x', role: 'dev' },
      { id: 2, team: 'x', role: 'dev' },
      { id: 3, team: 'y', role: 'dev' },
    ];
    const source = pollSource({
      every: 10_000,
      list: () => members,
      map: ({ team }) => [{ namespace: 'default', name: team }],
    });
    t.run(source);
    await t.manager.start();
    await t.clock.settle();
    expect(t.calls.splice(0)).toEqual(['x', 'y']);
    // The lister changes the very objects it gave before.
    members.splice(1, 1, { id: 2, team: 'x', role: 'boss' });
    const [first] = members;
    if (first) first.role = 'boss';
    await t.clock.advance(11_000);
    expect(t.calls).toEqual(['x']);
  });

  it('logs a listing that fails, tries again ever later, and forgets nothing', async () => {
    const t = setUp();
    let asked = 0;
    let broken = false;
    const list = () => {
      asked++;
      if (broken) throw new Error('bad gateway');
      return [bucket('a')];
    };
    t.run(pollSource({ name: 'buckets', every: 10_000, list }));
    await t.manager.start();
    await t.clock.settle();
    broken = true;
    await t.clock.advance(3_600_000);
    expect(t.errors[0]).toMatchObject({ source: 'buckets', failures: 1 });
    expect(asked).toBeLessThan(40);
    expect(asked).toBeGreaterThan(10);
    await t.api.client().of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(t.calls).toEqual(['a', 'w']);
    broken = false;
    const before = t.errors.length;
    await t.clock.advance(900_000);
    expect(t.errors).toHaveLength(before);
    expect(t.calls).toEqual(['a', 'w']);
  });

  it('tells nothing of a listing that cannot be mapped', async () => {
    const t = setUp();
    const list = () => [{ at: 'a' }, { at: undefined }];
    const map = ({ at }: { at: string | undefined }) => {
      if (at === undefined) throw new Error('points nowhere');
      return [{ name: at }];
    };
    t.run(pollSource({ every: 10_000, list, map }));
    await t.manager.start();
    await t.clock.advance(500);
    expect(t.calls).toEqual([]);
    expect(t.errors).toHaveLength(1);
  });

  it('gives a listing its time, and is not idle meanwhile', async () => {
    const t = setUp();
    const aborted: unknown[] = [];
    const list = async ({ signal }: { signal: AbortSignal }) => {
      await sleep(t.clock, 20_000, signal).catch((reason) => aborted.push(reason));
      return [bucket('late')];
    };
    const controller = t.run(pollSource({ every: 10_000, timeout: 5_000, list }));
    await t.manager.start();
    await t.clock.advance(4_999);
    expect(controller.idle).toBe(false);
    await t.clock.advance(1);
    expect(controller.idle).toBe(true);
    expect(String(aborted[0])).toContain('no answer within 5s');
    expect(t.calls).toEqual([]);
  });

  it('has one listing under way at most, though it ignores its signal, says so once, and goes on when that has ended', async () => {
    const t = setUp();
    const ends: ((items: readonly Bucket[]) => void)[] = [];
    const list = () => new Promise<readonly Bucket[]>((resolve) => ends.push(resolve));
    t.run(pollSource({ name: 'buckets', every: 10_000, timeout: 5_000, list }));
    await t.manager.start();
    await t.clock.advance(3_600_000);
    expect(ends).toHaveLength(1);
    expect(t.errors).toMatchObject([{ source: 'buckets', failures: 1 }, { source: 'buckets' }]);
    ends[0]?.([bucket('stale')]);
    await t.clock.runUntil(() => ends.length === 2, { limit: 10_000 });
    expect(t.calls).toEqual([]);
    ends[1]?.([bucket('fresh')]);
    await t.clock.settle();
    expect(t.calls).toEqual(['fresh']);
  });

  it('ends with its controller, in the middle of a listing too', async () => {
    const t = setUp();
    let ended = 0;
    const list = async ({ signal }: { signal: AbortSignal }) => {
      await sleep(t.clock, 20_000, signal).finally(() => ended++);
      return [bucket('late')];
    };
    const controller = t.run(pollSource({ every: 10_000, list }));
    await t.manager.start();
    await t.clock.advance(1_000);
    await t.manager.stop();
    await t.clock.settle();
    expect(ended).toBe(1);
    expect(controller.idle).toBe(true);
    expect(t.errors).toEqual([]);
    expect(t.clock.untilNext).toBeUndefined();
  });

  it('is asked by the leader alone', async () => {
    const leader = setUp('a');
    const standby = setUp('b', leader.clock, leader.api);
    let asked = 0;
    const list = () => [bucket(`${++asked}`)];
    leader.run(pollSource({ every: 10_000, list: () => [] }));
    standby.run(pollSource({ every: 10_000, list }));
    await leader.manager.start();
    const started = standby.manager.start();
    await leader.clock.advance(60_000);
    expect(asked).toBe(0);
    await leader.manager.stop();
    await leader.clock.advance(5_000);
    await started;
    expect(asked).toBe(1);
    expect(standby.calls).toEqual(['1']);
  });

  it('refuses times that make no sense', () => {
    expect(() => pollSource({ every: 0, list: () => [bucket('a')] })).toThrow('"every" is 0');
    expect(() => pollSource({ every: 1, timeout: Number.NaN, list: () => [bucket('a')] })).toThrow('"timeout" is NaN');
  });
});

describe('a channel', () => {
  const key = (name: string): ObjectKey => ({ namespace: 'default', name });

  it('keeps each key once until workers run, and enqueues from then on', async () => {
    const t = setUp();
    const channel = channelSource();
    t.run(channel.source);
    for (const name of ['a', 'b', 'a']) channel.push(key(name));
    await t.manager.start();
    await t.clock.settle();
    expect(t.calls.splice(0)).toEqual(['a', 'b']);
    channel.push(key('a'));
    await t.clock.settle();
    expect(t.calls).toEqual(['a']);
  });

  it('reaches every controller that takes it, until it stops', async () => {
    const t = setUp();
    const channel = channelSource();
    t.run(channel.source);
    const others: string[] = [];
    t.manager
      .controller(Widget, 'other')
      .from(channel.source)
      .run({ reconcile: async (context) => void others.push(context.key.name) });
    await t.manager.start();
    channel.push(key('a'));
    await t.clock.settle();
    await t.manager.stop();
    channel.push(key('b'));
    await t.clock.settle();
    expect([t.calls, others]).toEqual([['a'], ['a']]);
  });

  it('is collected by debounce as other events are', async () => {
    const t = setUp();
    const channel = channelSource();
    t.manager
      .controller(Widget)
      .options({ debounce: 500 })
      .from(channel.source)
      .run({ reconcile: async (context) => void t.calls.push(context.key.name) });
    await t.manager.start();
    for (let i = 0; i < 4; i++) {
      channel.push(key('a'));
      await t.clock.advance(100);
    }
    expect(t.calls).toEqual([]);
    await t.clock.advance(100);
    expect(t.calls).toEqual(['a']);
  });

  it('feeds an actor', async () => {
    const t = setUp();
    const channel = channelSource();
    await t.api.client().of(Widget).create(widget('a'));
    const observe = async () => {
      t.calls.push('seen');
      return undefined;
    };
    t.manager
      .actor(Widget, { observe, finalize: async () => true }, { finalizer: 'test.dev/x' })
      .from(channel.source)
      .run();
    await t.manager.start();
    await t.clock.settle();
    const before = t.calls.length;
    channel.push(key('a'));
    await t.clock.settle();
    expect(t.calls.length).toBe(before + 1);
  });
});

it('works without a source that does not start', async () => {
  const t = setUp();
  const broken: ExternalSource = {
    name: 'broken',
    start() {
      throw new Error('no port');
    },
  };
  const channel = channelSource();
  t.run(broken, channel.source);
  await t.manager.start();
  channel.push({ name: 'a' });
  await t.clock.settle();
  expect(t.calls).toEqual(['a']);
  expect(t.errors).toMatchObject([{ controller: 'widget', source: 'broken' }]);
});
