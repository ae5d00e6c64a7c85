import { afterEach, describe, expect, it } from 'vitest';
import { merge } from '../client/index.ts';
import { ApiError, type ObjectKey, seededRandom, sleep, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, Widget, widget, widgetPath } from '../manager/test-kinds.ts';
import { type ControllerBuilder, type Reconciler, ReconcileTimeout } from './index.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

function setUp() {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const errors: unknown[] = [];
  const quiet = () => {};
  const log = {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (fields: object) => void errors.push(fields),
    child: () => log,
  };
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1), log, shutdownTimeout: 1_000 });
  managers.push(manager);
  const calls: string[] = [];
  const run = (builder: ControllerBuilder<Widget>, reconcile?: Reconciler['reconcile']) =>
    builder.run({
      reconcile: async (context) => {
        calls.push(context.key.name);
        return reconcile?.(context);
      },
    });
  return { clock, api, client, manager, calls, errors, run };
}

const key = (name: string): ObjectKey => ({ namespace: 'default', name });
const ownedBy = (name: string, ...owners: { uid: string; name: string; group?: string }[]): Part => ({
  metadata: {
    name,
    namespace: 'default',
    ownerReferences: owners.map((owner) => ({
      apiVersion: `${owner.group ?? 'test.dev'}/v1beta7`,
      kind: 'Widget',
      name: owner.name,
      uid: owner.uid,
      controller: true,
    })),
  },
});

describe('controller', () => {
  it('reconciles what is there at the start, and what comes, changes and goes', async () => {
    const t = setUp();
    await t.client.of(Widget).create(widget('a'));
    t.run(t.manager.controller(Widget));
    await t.manager.start();
    await t.clock.settle();
    await t.client.of(Widget).create(widget('b'));
    await t.clock.settle();
    await t.client.of(Widget).patch(key('a'), merge({ spec: { size: 2 } }));
    await t.clock.settle();
    await t.client.of(Widget).delete(key('b'));
    await t.clock.settle();
    expect(t.calls).toEqual(['a', 'b', 'a', 'b']);
    expect(t.manager.idle).toBe(true);
  });

  it('starts no worker before every source has delivered', async () => {
    const t = setUp();
    await t.client.of(Widget).create(widget('a'));
    t.api.intercept = async ({ path, signal }) => {
      if (path.endsWith('/configmaps')) await sleep(t.clock, 5_000, signal);
    };
    t.run(t.manager.controller(Widget).owns(Part));
    const started = t.manager.start();
    await t.clock.advance(4_900);
    expect(t.calls).toEqual([]);
    await t.clock.advance(200);
    await started;
    await t.clock.settle();
    expect(t.calls).toEqual(['a']);
  });

  it('says which kinds it waits for, and stops all the same', async () => {
    const t = setUp();
    const warnings: object[] = [];
    t.manager.log.warn = (fields) => void warnings.push(fields);
    t.api.intercept = async ({ path, signal }) => {
      if (path.endsWith('/configmaps')) await sleep(t.clock, 3_600_000, signal);
    };
    t.run(t.manager.controller(Widget).owns(Part));
    const started = t.manager.start();
    await t.clock.advance(11_000);
    expect(warnings).toEqual([{ kinds: ['configmaps'] }]);
    await t.manager.stop();
    await started;
    await t.clock.settle();
    expect(t.clock.untilNext).toBeUndefined();
  });

  it('starts at most as many reconciles a second as its rate, after the burst', async () => {
    const t = setUp();
    for (let i = 0; i < 10; i++) await t.client.of(Widget).create(widget(`w${i}`));
    t.run(t.manager.controller(Widget).options({ rate: { perSecond: 2, burst: 3 } }));
    await t.manager.start();
    await t.clock.settle();
    expect(t.calls).toHaveLength(3);
    await t.clock.advance(2_000);
    expect(t.calls).toHaveLength(7);
  });

  it('works a key once for a burst of its events, and does not wait longer than debounce for its end', async () => {
    const t = setUp();
    await t.client.of(Widget).create(widget('a'));
    t.run(t.manager.controller(Widget).options({ debounce: 500 }));
    await t.manager.start();
    await t.clock.settle();
    expect(t.calls).toEqual(['a']);
    for (let size = 2; size < 10; size++) {
      await t.client.of(Widget).patch(key('a'), merge({ spec: { size } }));
      await t.clock.advance(90);
    }
    expect(t.calls).toEqual(['a', 'a']);
    await t.clock.advance(1_000);
    expect(t.calls).toEqual(['a', 'a', 'a']);
  });

  it('keeps a delay set by hand beside a burst that is collected', async () => {
    const t = setUp();
    await t.client.of(Widget).create(widget('a'));
    const controller = t.run(t.manager.controller(Widget).options({ debounce: 500 }));
    await t.manager.start();
    await t.clock.settle();
    controller.enqueue(key('a'), 10_000);
    await t.client.of(Widget).patch(key('a'), merge({ spec: { size: 2 } }));
    await t.clock.advance(9_900);
    expect(t.calls).toEqual(['a', 'a']);
    await t.clock.advance(200);
    expect(t.calls).toEqual(['a', 'a', 'a']);
  });

  it('fails the start when a kind is not served in time, if told so', async () => {
    const t = setUp();
    t.api.intercept = ({ path }) => {
      if (path.endsWith('/configmaps'))
        throw new ApiError({ status: 'Failure', code: 404, reason: 'NotFound' } as never);
    };
    t.run(t.manager.controller(Widget).owns(Part).options({ startup: 'fail', startupTimeout: 20_000 }));
    const started = expect(t.manager.start()).rejects.toThrow(
      'widget: not started: configmaps could not be listed within 20s',
    );
    await t.clock.advance(20_000);
    await started;
    await t.manager.stop();
    expect(t.clock.untilNext).toBeUndefined();
  });

  it.each([
    [{ rate: { perSecond: 0, burst: 1 } }, '"rate.perSecond"'],
    [{ debounce: -1 }, '"debounce"'],
    [{ startup: 'fail' as const, startupTimeout: 0 }, '"startupTimeout"'],
  ])('refuses %j', (options, named) => {
    const t = setUp();
    expect(() => t.run(t.manager.controller(Widget).options(options))).toThrow(named);
  });

  it('enqueues the owner of a child, in any version of its kind, and only of its group', async () => {
    const t = setUp();
    t.run(t.manager.controller(Widget).owns(Part));
    await t.manager.start();
    await t.client.of(Part).create(ownedBy('p', { name: 'a', uid: '1' }));
    await t.client.of(Part).create(ownedBy('q', { name: 'b', uid: '2', group: 'other.dev' }));
    await t.clock.settle();
    expect(t.calls).toEqual(['a']);
  });

  it('tells both the old and the new owner when a child changes hands', async () => {
    const t = setUp();
    t.run(t.manager.controller(Widget).owns(Part));
    await t.manager.start();
    await t.client.of(Part).create(ownedBy('p', { name: 'a', uid: '1' }));
    await t.clock.settle();
    await t.client.of(Part).update(ownedBy('p', { name: 'b', uid: '2' }));
    await t.clock.settle();
    expect(t.calls.toSorted()).toEqual(['a', 'a', 'b']);
  });

  it('maps other kinds, old and new, and filters by predicate', async () => {
    const t = setUp();
    const map = (part: Part) => (part.data?.for ? [key(part.data.for)] : []);
    t.run(
      t.manager.controller(Widget).watches(Part, { map, where: ({ object }) => object.metadata.name !== 'ignored' }),
    );
    await t.manager.start();
    await t.client.of(Part).create({ metadata: key('p'), data: { for: 'a' } });
    await t.client.of(Part).create({ metadata: key('ignored'), data: { for: 'z' } });
    await t.clock.settle();
    await t.client.of(Part).patch(key('p'), merge({ data: { for: 'b' } }));
    await t.clock.settle();
    expect(t.calls.toSorted()).toEqual(['a', 'a', 'b']);
  });

  it('never works one key twice at once, and works different keys together', async () => {
    const t = setUp();
    let now = 0;
    let most = 0;
    const active = new Set<string>();
    t.run(t.manager.controller(Widget).options({ workers: 3 }), async ({ key: { name }, clock }) => {
      expect(active.has(name)).toBe(false);
      active.add(name);
      most = Math.max(most, ++now);
      await sleep(clock, 100);
      active.delete(name);
      now--;
    });
    await t.manager.start();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await t.client.of(Widget).create(widget(name));
    for (let size = 2; size < 12; size++) {
      await t.client.of(Widget).patch(key('a'), merge({ spec: { size } }));
      await t.clock.advance(30);
    }
    await t.clock.advance(1_000);
    expect(most).toBe(3);
    expect(t.errors).toEqual([]);
  });

  it('keeps an error to its reconcile, thrown early or late, and retries it', async () => {
    const t = setUp();
    let bad = 2;
    t.manager.controller(Widget).run({
      reconcile({ key: { name } }) {
        t.calls.push(name);
        if (name === 'a' && bad-- > 0) throw new Error('odd spec');
        return Promise.resolve();
      },
    });
    await t.manager.start();
    await t.client.of(Widget).create(widget('a'));
    await t.client.of(Widget).create(widget('b'));
    await t.clock.advance(1_000);
    expect(t.calls).toEqual(['a', 'b', 'a', 'a']);
    expect(t.errors).toMatchObject([{ key: 'default/a', failures: 1 }, { failures: 2 }]);
  });

  it('comes back after requeueAfter, and waits as long as a 429 asks for', async () => {
    const t = setUp();
    const tooMany = new ApiError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason: 'TooManyRequests',
      code: 429,
      details: { retryAfterSeconds: 9 },
    });
    t.run(t.manager.controller(Widget), async ({ key: { name } }) => {
      if (name === 'busy') throw tooMany;
      return { requeueAfter: 10_000 };
    });
    await t.manager.start();
    await t.client.of(Widget).create(widget('a'));
    await t.client.of(Widget).create(widget('busy'));
    await t.clock.advance(8_999);
    expect(t.calls).toEqual(['a', 'busy']);
    await t.clock.advance(1_001);
    expect(t.calls).toEqual(['a', 'busy', 'busy', 'a']);
  });

  it('aborts a reconcile that takes too long; one that ignores it blocks its key and no worker', async () => {
    const t = setUp();
    const reasons: unknown[] = [];
    let release = () => {};
    t.run(
      t.manager.controller(Widget).options({ workers: 1, timeout: 5_000 }),
      async ({ key: { name }, client, signal }) => {
        if (name !== 'deaf') return;
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        reasons.push(
          await client
            .of(Part)
            .create({ metadata: key('late') })
            .catch((error) => error),
        );
      },
    );
    await t.manager.start();
    await t.client.of(Widget).create(widget('deaf'));
    await t.client.of(Widget).create(widget('b'));
    await t.clock.advance(6_000);
    expect(t.calls).toEqual(['deaf', 'b']);
    expect(reasons[0]).toBeInstanceOf(ReconcileTimeout);
    await t.client.of(Widget).patch(key('deaf'), merge({ spec: { size: 2 } }));
    await t.clock.advance(60_000);
    expect(t.calls).toEqual(['deaf', 'b']);
    release();
    await t.clock.settle();
    expect(reasons[1]).toBeInstanceOf(ReconcileTimeout);
    expect(t.calls).toEqual(['deaf', 'b', 'deaf']);
    release();
    await t.clock.settle();
  });

  it('says what a reconcile waited for when it took too long', async () => {
    const t = setUp();
    t.api.intercept = async ({ method, signal }) => {
      if (method === 'PATCH') await sleep(t.clock, 60_000, signal);
    };
    t.run(t.manager.controller(Widget).options({ timeout: 5_000 }), async ({ client, clock, key: { name } }) => {
      await client.of(Part).list({ namespace: 'default' });
      if (name === 'b') return void (await sleep(clock, 60_000));
      await sleep(clock, 1_000);
      await client.of(Part).patch(key(name), merge({ data: {} }));
    });
    await t.manager.start();
    await t.client.of(Widget).create(widget('a'));
    await t.client.of(Widget).create(widget('b'));
    await t.clock.advance(5_000);
    const said = t.errors.map((fields) => String((fields as { err: unknown }).err)).join();
    expect(said).toContain('default/a was aborted after 5s, waiting for patch configmaps default/a (since 4s);');
    await t.clock.advance(60_000);
    const later = t.errors.map((fields) => String((fields as { err: unknown }).err)).join();
    expect(later).toContain('default/b was aborted after 5s, waiting for something other than a call of its client;');
    const stopped = t.manager.stop();
    await t.clock.advance(70_000);
    await stopped;
  });

  it('looks at every object again at each resync', async () => {
    const t = setUp();
    t.run(t.manager.controller(Widget).options({ resync: 60_000 }));
    await t.manager.start();
    for (const name of ['a', 'b']) await t.client.of(Widget).create(widget(name));
    await t.clock.advance(70_000);
    expect(t.calls).toEqual(['a', 'b', 'a', 'b']);
  });

  it('is told of what others write while it writes, and not of its own writes', async () => {
    const t = setUp();
    let rival = true;
    t.run(t.manager.controller(Widget).owns(Part), async ({ client, key: { name } }) => {
      await client.of(Part).patch(key('p'), merge({ data: { by: name, at: String(t.calls.length) } }));
      if (!rival) return;
      rival = false;
      await t.client.of(Part).patch(key('p'), merge({ data: { by: 'rival' } }));
    });
    await t.client.of(Part).create(ownedBy('p', { name: 'a', uid: '1' }));
    await t.manager.start();
    await t.clock.advance(10_000);
    expect(t.calls).toEqual(['a', 'a']);
  });

  it('tells other keys and other controllers of writes made for a key', async () => {
    const t = setUp();
    t.run(t.manager.controller(Widget), async ({ client, key: { name } }) => {
      if (name === 'a')
        await client
          .of(Widget)
          .create(widget('b'))
          .catch(() => {});
    });
    const others: string[] = [];
    t.manager.controller(Widget, 'other').run({ reconcile: async (context) => void others.push(context.key.name) });
    await t.manager.start();
    await t.client.of(Widget).create(widget('a'));
    await t.clock.settle();
    expect(t.calls).toEqual(['a', 'b']);
    expect(others).toEqual(['a', 'b']);
  });

  it('takes keys by hand, now and later', async () => {
    const t = setUp();
    const controller = t.run(t.manager.controller(Widget));
    await t.manager.start();
    controller.enqueue(key('x'));
    controller.enqueue(key('y'), 5_000);
    await t.clock.advance(5_000);
    expect(t.calls).toEqual(['x', 'y']);
    expect(t.api.at(`${widgetPath}/x`)).toBeUndefined();
  });

  it('names an option that makes no sense', () => {
    const t = setUp();
    expect(() => t.run(t.manager.controller(Widget).options({ workers: 0 }))).toThrow('"workers" is 0');
    expect(() => t.run(t.manager.controller(Widget).options({ backoff: { min: 9, max: 3 } }))).toThrow(
      '"backoff.max" is 3',
    );
  });
});
