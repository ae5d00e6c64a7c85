import { afterEach, describe, expect, it } from 'vitest';
import { apply } from '../client/index.ts';
import type { ReconcileContext } from '../controller/index.ts';
import { seededRandom, sleep, VirtualClock } from '../core/index.ts';
import { type Lease, NotLeading } from '../election/index.ts';
import { prometheusMetrics } from '../metrics/index.ts';
import { createManager, type Manager, type ManagerOptions } from './index.ts';
import { TestApi } from './test-api.ts';
import { Part, partPath, Widget, widget } from './test-kinds.ts';

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/system/leases/op';
const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

function world() {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const calls: string[] = [];
  const replica = (
    identity: string,
    options: Partial<ManagerOptions> = {},
    reconcile: (context: ReconcileContext) => Promise<void> = async () => {},
  ) => {
    const manager = createManager({
      client,
      clock,
      random: seededRandom(identity.length),
      name: 'op',
      election: { namespace: 'system', lease: 'op', identity },
      ...options,
    });
    managers.push(manager);
    manager.controller(Widget).run({
      async reconcile(context) {
        calls.push(`${identity}:${context.key.name}`);
        await reconcile(context);
      },
    });
    return manager;
  };
  return { clock, api, client, calls, replica };
}

describe('manager', () => {
  it('watches nothing before it is started', async () => {
    const t = world();
    let requests = 0;
    t.api.intercept = () => void requests++;
    t.replica('a');
    await t.clock.advance(10_000);
    expect(requests).toBe(0);
  });

  it('keeps a standby warm and idle, and lets it work at once when the leader stops', async () => {
    const t = world();
    const listings: string[] = [];
    t.api.intercept = ({ method, path }) => {
      if (method === 'GET' && path.endsWith('/widgets')) listings.push(path);
    };
    const a = t.replica('a');
    await a.start();
    const b = t.replica('b');
    const started = b.start();
    await t.client.of(Widget).create(widget('w'));
    await t.clock.advance(30_000);
    expect(t.calls).toEqual(['a:w']);
    expect(b.cache.store(Widget).size).toBe(1);
    expect(b.idle).toBe(false);
    const before = listings.length;
    await a.stop();
    await t.clock.advance(2_400);
    await started;
    expect(t.calls).toEqual(['a:w', 'b:w']);
    expect(listings.length).toBe(before);
  });

  it('stops and tells when leadership is lost; no write passes any more', async () => {
    const t = world();
    let lost = 0;
    const refused: unknown[] = [];
    const a = t.replica('a', { onLost: () => lost++ }, async ({ client, clock }) => {
      await sleep(clock, 20_000);
      await client
        .of(Part)
        .create({ metadata: { namespace: 'default', name: 'late' } })
        .catch((e) => refused.push(e));
    });
    await a.start();
    const b = t.replica('b');
    const started = b.start();
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    t.api.intercept = (request) => {
      const holder = (request.body as Lease | undefined)?.spec?.holderIdentity;
      if (holder === 'a') throw new Error('a is cut off');
    };
    await t.clock.advance(25_000);
    await started;
    expect(lost).toBe(1);
    expect(refused).toHaveLength(1);
    expect(t.api.at(`${partPath}/late`)).toBeUndefined();
    expect(t.calls).toEqual(['a:w', 'b:w']);
    await expect(a.client.of(Part).create({ metadata: { namespace: 'default', name: 'x' } })).rejects.toThrow(
      NotLeading,
    );
  });

  it('ends in order: work, then the lease', async () => {
    const t = world();
    const manager = createManager({
      client: t.client,
      clock: t.clock,
      random: seededRandom(1),
      name: 'op',
      election: { namespace: 'system', lease: 'op', identity: 'a' },
    });
    managers.push(manager);
    const observe = async ({ event, clock, apply }: Parameters<Parameters<Manager['actor']>[1]['observe']>[0]) => {
      await sleep(clock, 5_000);
      await apply(Part, { metadata: { namespace: 'default', name: 'p' } });
      event({ reason: 'Made', message: 'made p' });
      return undefined;
    };
    manager.actor(Widget, { observe, finalize: async () => true }, { finalizer: 'test.dev/x' }).run();
    await manager.start();
    await t.client.of(Widget).create(widget('w'));
    await t.clock.advance(1_000);
    const before = t.api.writes.length;
    let stopped = false;
    const stopping = manager.stop().then(() => {
      stopped = true;
    });
    await t.clock.advance(3_000);
    expect(stopped).toBe(false);
    await t.clock.advance(2_000);
    await stopping;
    const kinds = t.api.writes
      .slice(before)
      .map((write) => write.split('/').find((part) => /^(configmaps|widgets|events|leases)$/.test(part)));
    expect(kinds.at(-1)).toBe('leases');
    expect(new Set(kinds)).toEqual(new Set(['leases', 'configmaps', 'widgets', 'events']));
    expect(kinds.filter((kind) => kind === 'events')).toHaveLength(2);
    expect(t.api.at<Lease>(leasePath)?.spec?.holderIdentity).toBeUndefined();
    expect(t.clock.untilNext).toBeUndefined();
  });

  it('aborts what does not end within the shutdown timeout', async () => {
    const t = world();
    const reasons: unknown[] = [];
    const a = t.replica('a', { shutdownTimeout: 10_000 }, async ({ clock, signal }) => {
      await sleep(clock, 3_600_000, signal).catch((reason) => reasons.push(reason));
    });
    await a.start();
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    const stopping = a.stop();
    await t.clock.advance(9_999);
    expect(reasons).toEqual([]);
    await t.clock.advance(1);
    await stopping;
    expect(String(reasons[0])).toContain('stopping');
  });

  it('starts runnables before workers and stops them after, the last first', async () => {
    const t = world();
    const order: string[] = [];
    const a = t.replica('a', {}, async () => void order.push('work'));
    const runnable = (name: string, leaderOnly = false) => ({
      name,
      leaderOnly,
      start: async () => void order.push(`+${name}`),
      stop: async () => void order.push(`-${name}`),
    });
    a.add(runnable('health'));
    a.add(runnable('webhook'));
    a.add(runnable('job', true));
    await t.client.of(Widget).create(widget('w'));
    await a.start();
    await t.clock.settle();
    a.add(runnable('late'));
    await a.stop();
    expect(order).toEqual(['+health', '+webhook', '+job', 'work', '+late', '-late', '-job', '-webhook', '-health']);
  });

  it('runs controllers that are added while it runs', async () => {
    const t = world();
    await t.client.of(Part).create({ metadata: { namespace: 'default', name: 'p' } });
    const a = t.replica('a');
    await a.start();
    a.controller(Part).run({ reconcile: async ({ key }) => void t.calls.push(key.name) });
    await t.clock.settle();
    expect(t.calls).toEqual(['p']);
  });

  it('lets controllers work on a standby when they say so, and write', async () => {
    const t = world();
    const a = t.replica('a');
    await a.start();
    const b = t.replica('b');
    b.controller(Widget, 'everywhere')
      .options({ leaderOnly: false })
      .run({
        async reconcile({ client, key }) {
          await client.of(Part).create({ metadata: key as never });
        },
      });
    const started = b.start();
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(t.api.at(`${partPath}/w`)).toBeDefined();
    expect(t.calls).toEqual(['a:w']);
    await b.stop();
    await started;
  });

  it('fails the start of a standby too when a kind is not served in time and its controller may not wait', async () => {
    const t = world();
    const a = t.replica('a');
    await a.start();
    const b = t.replica('b');
    b.controller(Part)
      .options({ startup: 'fail', startupTimeout: 5_000 })
      .run({ reconcile: async () => {} });
    t.api.intercept = ({ path }) => {
      if (path.endsWith('/configmaps')) throw new Error('no such kind');
    };
    const failed = expect(b.start()).rejects.toThrow(
      'configmap: not started: configmaps could not be listed within 5s',
    );
    await t.clock.advance(5_000);
    await failed;
  });

  it('writes within one reconcile of the lease, without a listing, after a standby has taken over', async () => {
    const t = world();
    const write = async ({ client, key: { name }, clock }: ReconcileContext) => {
      const made = { metadata: { namespace: 'default', name }, data: { at: `${clock.now()}` } };
      await client.of(Part).patch(made.metadata, apply(made), { fieldManager: 'op' });
    };
    const a = t.replica('a', {}, write);
    await a.start();
    const b = t.replica('b', {}, write);
    const started = b.start();
    await t.client.of(Widget).create(widget('w'));
    await t.clock.advance(10_000);
    const requests: string[] = [];
    t.api.intercept = ({ method, path }) => void requests.push(`${method} ${path.split('/').at(-1)}`);
    await a.stop();
    await started;
    await t.clock.settle();
    expect(requests.slice(requests.lastIndexOf('PUT op') + 1)).toEqual(['PATCH w']);
    expect(requests.filter((request) => request.endsWith('s'))).toEqual([]);
  });

  it('leaves no lease behind when it is stopped while it starts', async () => {
    for (let turns = 0; turns < 20; turns++) {
      const t = world();
      const manager = t.replica('a');
      const started = manager.start();
      for (let turn = 0; turn < turns; turn++) await null;
      await manager.stop();
      await started;
      expect(t.api.at<Lease>(leasePath)?.spec?.holderIdentity).toBeUndefined();
    }
  });

  it('refuses two controllers of one name, and a second life', async () => {
    const t = world();
    const a = t.replica('a');
    expect(() => a.controller(Widget)).toThrow('has a controller "widget" already');
    await a.start();
    await a.stop();
    await a.stop();
    expect(() => a.start()).toThrow('it has been stopped');
  });

  it('refuses what would begin a second time, and leaves the first as it is', async () => {
    const t = world();
    const a = t.replica('a');
    await t.client.of(Part).create({ metadata: { namespace: 'default', name: 'p' } });
    const builder = a.controller(Part);
    const twin = a.controller(Part);
    builder.run({ reconcile: async ({ key }) => void t.calls.push(key.name) });
    expect(() => twin.run({ reconcile: async () => {} })).toThrow('has a controller "configmap" already');
    expect(() => builder.run({ reconcile: async () => {} })).toThrow(
      'controller configmap: run() was called after run()',
    );
    expect(() => builder.owns(Widget)).toThrow('controller configmap: owns() was called after run(); call it before');
    const actor = a.actor(
      Widget,
      { observe: async () => undefined, finalize: async () => true },
      { name: 'other', finalizer: 'x.dev/other' },
    );
    actor.run();
    expect(() => actor.run()).toThrow('controller other: run() was called after run()');
    const runnable = { name: 'job', start: async () => {} };
    a.add(runnable);
    expect(() => a.add(runnable)).toThrow('the runnable job has been added already');
    const started = a.start();
    const again = 'manager op: start() was called before';
    expect(() => a.start()).toThrow(again);
    await started;
    expect(() => a.start()).toThrow(again);
    await t.clock.settle();
    expect(t.calls).toEqual(['p']);
    expect(a.declared.map(({ name }) => name)).toEqual(['widget', 'configmap', 'other']);
  });

  it('reports under the names that dashboards know', async () => {
    const t = world();
    const metrics = await prometheusMetrics();
    const a = t.replica('a', { metrics });
    await a.start();
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    const text = await metrics.text();
    expect(text).toContain('controller_runtime_reconcile_total{controller="widget",result="success"} 1');
    expect(text).toContain('workqueue_depth{name="widget",priority="user"} 0');
    expect(text).toContain('workqueue_adds_total{name="widget"} 1');
    expect(text).toContain('leader_election_master_status{name="op"} 1');
    expect(text).toContain('controller_runtime_max_concurrent_reconciles{controller="widget"} 16');
  });
});
