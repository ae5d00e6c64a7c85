import { afterEach, describe, expect, it } from 'vitest';
import type { ActorContext } from '../actor/index.ts';
import { ConnectionError } from '../client/index.ts';
import { KindsNotServed } from '../controller/index.ts';
import { type Logger, notFound, seededRandom, silentLogger, sleep, VirtualClock } from '../core/index.ts';
import { type Lease, NotLeading } from '../election/index.ts';
import { createManager, LeadershipLost, type Manager, type ManagerOptions, type Runnable } from './index.ts';
import { TestApi } from './test-api.ts';
import { Part, Widget, widget } from './test-kinds.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

function world() {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const replica = (identity: string, options: Partial<ManagerOptions> = {}) => {
    const election = { namespace: 'system', lease: 'op', identity };
    const manager = createManager({ client, clock, random: seededRandom(1), name: 'op', election, ...options });
    managers.push(manager);
    return manager;
  };
  const holder = () => api.at<Lease>('/apis/coordination.k8s.io/v1/namespaces/system/leases/op')?.spec?.holderIdentity;
  return { clock, api, client, replica, holder };
}

it('does not cut a write off at the shutdown timeout, sends no further one, and gives the lease back at once', async () => {
  const t = world();
  t.api.intercept = async ({ method, path }) => {
    if (method === 'POST' && path.endsWith('/configmaps')) await sleep(t.clock, 700);
  };
  const a = t.replica('a', { shutdownTimeout: 10_000 });
  a.controller(Widget).run({
    async reconcile({ client, clock }) {
      await sleep(clock, 9_500);
      for (const name of ['p1', 'p2']) await client.of(Part).create({ metadata: { namespace: 'default', name } });
    },
  });
  const b = t.replica('b');
  await t.client.of(Widget).create(widget('w'));
  await a.start();
  const next = b.start();
  await t.clock.settle();
  const stopping = a.stop();
  await t.clock.advance(10_300);
  await stopping;
  await next;
  expect(t.holder()).toBe('b');
  expect(t.api.writes.filter((write) => write.endsWith('/configmaps'))).toHaveLength(1);
});

it('gives the lease back before its last events are written', async () => {
  const t = world();
  t.api.intercept = async ({ path }) => {
    if (path.endsWith('/events')) await sleep(t.clock, 20_000);
  };
  const manager = t.replica('a');
  const observe = async ({ event }: ActorContext<Widget>) => {
    event({ reason: 'Seen', message: 'seen' });
    return undefined;
  };
  manager.actor(Widget, { observe, finalize: async () => true }, { finalizer: 'test.dev/x' }).run();
  await manager.start();
  await t.client.of(Widget).create(widget('w'));
  await t.clock.advance(1_000);
  const stopping = manager.stop();
  await t.clock.advance(100);
  expect(t.holder()).toBeUndefined();
  await t.clock.advance(60_000);
  await stopping;
  expect(t.api.writes.some((write) => write.endsWith('/events'))).toBe(true);
});

it('watches that wait out an outage are woken by a renewal of the lease', async () => {
  for (let seed = 0; seed < 10; seed++) {
    const t = world();
    let away = true;
    t.api.intercept = ({ path }) => {
      if (away && !path.includes('/leases')) throw new ConnectionError('refused');
    };
    const manager = t.replica('a', { random: seededRandom(seed) });
    manager.controller(Widget).run({ reconcile: async () => {} });
    const started = manager.start();
    await t.clock.advance(300_000 + 1_000 * seed);
    away = false;
    // a beat of the lease, after the rest of one that was woken before, and the spread
    await t.clock.advance(8_100);
    await started;
    expect(manager.state).toBe('running');
    await manager.stop();
  }
});

describe('runnables, when the manager is stopped or has to wait', () => {
  const named = (log: string[], name: string, more: Partial<Runnable> = {}): Runnable => ({
    name,
    start: async () => void log.push(`start ${name}`),
    stop: async () => void log.push(`stop ${name}`),
    ...more,
  });
  const manage = (clock: VirtualClock, api: TestApi, seed: number, more: Partial<ManagerOptions> = {}) =>
    createManager({
      client: api.client(),
      name: 'test',
      clock,
      random: seededRandom(seed),
      shutdownTimeout: 0,
      ...more,
    });

  it('starts none after a stop that came while another was starting', async () => {
    const clock = new VirtualClock();
    const manager = manage(clock, new TestApi(clock), 1);
    const log: string[] = [];
    const up = Promise.withResolvers<void>();
    manager.add(named(log, 'a', { start: () => up.promise }));
    manager.add(named(log, 'b'));
    manager.add(named(log, 'c', { leaderOnly: true }));
    const started = manager.start();
    await clock.settle();
    await manager.stop();
    up.resolve();
    await started;
    expect(log).toEqual(['stop a']);
  });

  it('starts one that is added while a standby waits for the lease', async () => {
    const clock = new VirtualClock();
    const api = new TestApi(clock);
    const election = { namespace: 'default', lease: 'l' };
    const [leader, standby] = [manage(clock, api, 1, { election }), manage(clock, api, 2, { election })];
    await leader.start();
    const started = standby.start();
    started.catch(() => {});
    await clock.settle();
    const log: string[] = [];
    standby.add(named(log, 'server'));
    standby.add(named(log, 'worker', { leaderOnly: true }));
    await clock.settle();
    expect(log).toEqual(['start server']);
    await leader.stop();
    await clock.advance(60_000);
    expect(log).toEqual(['start server', 'start worker']);
    await standby.stop();
  });

  it('ends although a stop throws at once', async () => {
    const clock = new VirtualClock();
    const manager = manage(clock, new TestApi(clock), 1);
    const log: string[] = [];
    manager.add(named(log, 'a'));
    manager.add(
      named(log, 'b', {
        stop: () => {
          throw new Error('no');
        },
      }),
    );
    await manager.start();
    await manager.stop();
    expect(manager.state).toBe('stopped');
    expect(log).toEqual(['start a', 'start b', 'stop a']);
  });
});

describe('a stop while it starts', () => {
  it('resolves the start of a standby that waits for the lease', async () => {
    const t = world();
    await t.replica('a').start();
    const b = t.replica('b');
    b.controller(Widget).run({ reconcile: async () => {} });
    const started = b.start();
    await t.clock.advance(5_000);
    await b.stop();
    await started;
    await b.ended;
    expect([b.state, t.holder()]).toEqual(['stopped', 'a']);
  });

  it('resolves it while a kind is missing or the server does not answer', async () => {
    for (const away of [
      () => Promise.reject(notFound({ group: 'test.dev', plural: 'widgets' }, '')),
      () => new Promise<void>(() => {}),
    ]) {
      const t = world();
      t.api.intercept = ({ path }) => (path.includes('/widgets') ? away() : undefined);
      const manager = t.replica('a');
      manager.controller(Widget).run({ reconcile: async () => {} });
      const started = manager.start();
      await t.clock.advance(5_000);
      await manager.stop();
      await started;
      expect(t.holder()).toBeUndefined();
    }
  });

  it('resolves it when the runnable that is starting fails because it was told to end', async () => {
    const t = world();
    const manager = t.replica('a');
    manager.add({
      name: 'server',
      start: (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    const started = manager.start();
    await t.clock.settle();
    await manager.stop();
    await started;
  });
});

describe('a start that fails', () => {
  it('gives everything back before it rejects: informers, runnables and the lease', async () => {
    const t = world();
    t.api.intercept = ({ path }) => {
      if (path.includes('/configmaps')) throw notFound({ group: '', plural: 'configmaps' }, '');
    };
    const log: string[] = [];
    const manager = t.replica('a');
    manager.add({ name: 'server', start: async () => {}, stop: async () => void log.push('server stopped') });
    manager.controller(Widget).run({ reconcile: async () => {} });
    manager
      .controller(Part)
      .options({ startup: 'fail', startupTimeout: 5_000 })
      .run({ reconcile: async () => {} });
    const failed = expect(manager.start()).rejects.toThrow(KindsNotServed);
    await t.clock.advance(1_000);
    expect(t.holder()).toBe('a');
    await t.clock.advance(5_000);
    await failed;
    await expect(manager.ended).rejects.toThrow(KindsNotServed);
    expect([manager.state, t.holder(), log]).toEqual(['stopped', undefined, ['server stopped']]);
    expect(manager.cache.informers()).toEqual([]);
    expect(t.clock.untilNext).toBeUndefined();
  });

  it('gives everything back when a runnable cannot start', async () => {
    const t = world();
    const manager = t.replica('a');
    manager.add({ name: 'server', start: () => Promise.reject(new Error('the port is taken')) });
    await expect(manager.start()).rejects.toThrow('the port is taken');
    expect([manager.state, t.holder()]).toEqual(['stopped', undefined]);
  });

  it('rejects with the loss of the lease when that comes before the controllers run', async () => {
    const t = world();
    t.api.intercept = async ({ path }) => {
      if (path.includes('/widgets')) await new Promise(() => {});
    };
    const manager = t.replica('a');
    manager.controller(Widget).run({ reconcile: async () => {} });
    const failed = expect(manager.start()).rejects.toThrow(LeadershipLost);
    await t.clock.settle();
    t.api.intercept = ({ path }) => {
      if (path.includes('/leases')) throw new ConnectionError('refused');
    };
    await t.clock.advance(15_000);
    await failed;
  });
});

describe('a stop that somebody holds up', () => {
  it('gives the lease back although a runnable never stops, and tells which', async () => {
    const t = world();
    const lines: object[] = [];
    const log = { ...silentLogger, error: (fields: object) => void lines.push(fields) };
    const manager = t.replica('a', { shutdownTimeout: 5_000, log });
    const order: string[] = [];
    manager.add({ name: 'first', start: async () => {}, stop: async () => void order.push('first') });
    manager.add({ name: 'stuck', start: async () => {}, stop: () => new Promise(() => {}) });
    await manager.start();
    const stopping = manager.stop();
    await t.clock.advance(4_900);
    expect([order, t.holder()]).toEqual([[], 'a']);
    await t.clock.advance(1_200);
    await stopping;
    expect([order, t.holder(), lines]).toEqual([['first'], undefined, [{ runnable: 'stuck' }]]);
    await expect(manager.client.of(Part).create({ metadata: { namespace: 'default', name: 'p' } })).rejects.toThrow(
      NotLeading,
    );
  });

  it('gives the lease back although a reconciler fails to stop, and tells which', async () => {
    const t = world();
    const lines: object[] = [];
    const log: Logger = { ...silentLogger, error: (fields) => void lines.push(fields), child: () => log };
    const manager = t.replica('a', { log });
    const error = new Error('no');
    const fails = () => {
      throw error;
    };
    manager.controller(Widget).run({ reconcile: async () => {}, stop: fails });
    await manager.start();
    await manager.stop();
    await manager.ended;
    expect([manager.state, t.holder(), lines]).toEqual(['stopped', undefined, [{ controller: 'widget', err: error }]]);
  });

  it('tells which reconcile ignores its abort', async () => {
    const t = world();
    const lines: object[] = [];
    const log: Logger = { ...silentLogger, error: (fields) => void lines.push(fields), child: () => log };
    const manager = t.replica('a', { shutdownTimeout: 5_000, log });
    manager.controller(Widget).run({ reconcile: () => new Promise(() => {}) });
    await manager.start();
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    const stopping = manager.stop();
    await t.clock.advance(6_500);
    await stopping;
    expect(t.holder()).toBeUndefined();
    expect(lines).toEqual([{ key: 'default/w', waitingFor: 'something other than a call of its client' }]);
  });

  it('does not wait for events that nobody takes longer than for anything else', async () => {
    const t = world();
    t.api.intercept = async ({ path }) => {
      if (path.endsWith('/events')) await new Promise(() => {});
    };
    const manager = t.replica('a', { shutdownTimeout: 5_000 });
    const observe = async ({ event }: ActorContext<Widget>) => {
      event({ reason: 'Seen', message: 'seen' });
      return undefined;
    };
    manager.actor(Widget, { observe, finalize: async () => true }, { finalizer: 'test.dev/x' }).run();
    await manager.start();
    await t.client.of(Widget).create(widget('w'));
    await t.clock.advance(1_000);
    const stopping = manager.stop();
    await t.clock.advance(5_100);
    await stopping;
    expect(manager.state).toBe('stopped');
  });
});
