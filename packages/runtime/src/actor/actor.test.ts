import type { Condition } from '@coxswain/k8s';
import { afterEach, describe, expect, it } from 'vitest';
import { findCondition } from '../apply/index.ts';
import { json, merge } from '../client/index.ts';
import { conflict, seededRandom, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Base, basePath, Part, partPath, Widget, widget, widgetPath } from '../manager/test-kinds.ts';
import { type Action, type Actor, type ActorContext, Resync } from './index.ts';

const key = { namespace: 'default', name: 'w' };
const finalizer = 'test.dev/widget';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

interface SetUp {
  readonly actor: Partial<Actor<Widget>>;
  readonly retryAfter?: number;
  readonly resyncAfter?: number;
}

async function setUp({ actor, ...options }: SetUp) {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1), shutdownTimeout: 0 });
  managers.push(manager);
  let passes = 0;
  const full: Actor<Widget> = {
    ...actor,
    observe: async (context) => {
      passes++;
      return actor.observe?.(context);
    },
    finalize: async (context) => (actor.finalize ? actor.finalize(context) : true),
  };
  manager
    .actor(Widget, full, { finalizer, ...options })
    .owns(Part)
    .run();
  await manager.start();
  return {
    api,
    clock,
    client,
    manager,
    get passes() {
      return passes;
    },
    get widget() {
      return api.at<Widget>(`${widgetPath}/w`);
    },
    get synced(): Condition | undefined {
      const object = api.at<Widget>(`${widgetPath}/w`);
      return object && findCondition(object, 'Synced');
    },
    events: () => api.writes.filter((write) => write.includes('/events')),
    writes: () => api.writes.filter((write) => !write.includes('/events')),
  };
}

const part = (name: string, size: number): Part => ({
  metadata: { name, namespace: 'default' },
  data: { size: String(size) },
});

/** Keeps one ConfigMap of the widget's size. */
const keepPart: Partial<Actor<Widget>> = {
  async observe({ object, store }: ActorContext<Widget>): Promise<Action<Widget> | undefined> {
    const size = String(object.spec.size);
    const there = store(Part).get(key);
    if (there?.data?.size === size) return undefined;
    return {
      name: 'ApplyPart',
      run: async (context) => {
        await context.apply(Part, part('w', context.object.spec.size));
        context.status.made = context.object.spec.size;
      },
    };
  },
};

describe('actor loop', () => {
  it('goes from nothing to synced in one pass, with four writes', async () => {
    const t = await setUp({ actor: keepPart });
    await t.client.of(Widget).create(widget('w', 3));
    await t.clock.settle();
    expect(t.writes()).toEqual([
      `POST ${widgetPath}`,
      `PATCH ${widgetPath}/w`,
      `PATCH ${partPath}/w`,
      `PATCH ${widgetPath}/w/status`,
    ]);
    expect(t.widget?.metadata.finalizers).toEqual([finalizer]);
    expect(t.widget?.status?.made).toBe(3);
    expect(t.synced).toMatchObject({
      status: 'True',
      message: 'the object is synced',
      reason: 'ReconcileSuccess',
      observedGeneration: 1,
    });
    expect(t.api.at<Part>(`${partPath}/w`)?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'test.dev/v1',
        kind: 'Widget',
        name: 'w',
        uid: t.widget?.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });

  it('does not reconcile again because of its own writes, and writes nothing the second time', async () => {
    const t = await setUp({ actor: keepPart });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.advance(60_000);
    expect(t.passes).toBe(2);
    const before = t.writes().length;
    await t.client.of(Widget).patch(key, merge({ metadata: { labels: { seen: 'yes' } } }));
    await t.clock.advance(60_000);
    expect(t.passes).toBe(3);
    expect(t.writes().slice(before)).toEqual([`PATCH ${widgetPath}/w`]);
  });

  it('heals a child that somebody else changed or deleted', async () => {
    const t = await setUp({ actor: keepPart });
    await t.client.of(Widget).create(widget('w', 2));
    await t.clock.settle();
    await t.client.of(Part).patch(key, merge({ data: { size: '9' } }));
    await t.clock.settle();
    expect(t.api.at<Part>(`${partPath}/w`)?.data).toEqual({ size: '2' });
    await t.client.of(Part).delete(key);
    await t.clock.settle();
    expect(t.api.at<Part>(`${partPath}/w`)?.data).toEqual({ size: '2' });
  });

  it('follows the generation', async () => {
    const t = await setUp({ actor: keepPart });
    await t.client.of(Widget).create(widget('w', 2));
    await t.clock.settle();
    await t.client.of(Widget).patch(key, merge({ spec: { size: 4 } }));
    await t.clock.settle();
    expect(t.api.at<Part>(`${partPath}/w`)?.data).toEqual({ size: '4' });
    expect(t.synced).toMatchObject({ status: 'True', observedGeneration: 2 });
  });

  it('finalizes until clean, then drops its own finalizer only', async () => {
    let left = 2;
    const t = await setUp({ actor: { ...keepPart, finalize: async () => left-- === 0 } });
    await t.client.of(Widget).create({
      ...widget('w'),
      metadata: { name: 'w', namespace: 'default', finalizers: ['other/one'] },
    });
    await t.clock.settle();
    expect(t.widget?.metadata.finalizers).toEqual(['other/one', finalizer]);
    await t.client.of(Widget).delete(key);
    await t.clock.settle();
    expect(t.widget?.metadata.finalizers).toEqual(['other/one', finalizer]);
    await t.clock.advance(4_000);
    expect(t.widget?.metadata.finalizers).toEqual(['other/one']);
    await t.client.of(Widget).patch(key, json([{ op: 'remove', path: '/metadata/finalizers/0' }]));
    expect(t.widget).toBeUndefined();
  });

  it('says so and backs off when finalize fails, and keeps the finalizer', async () => {
    let broken = true;
    const t = await setUp({
      actor: {
        finalize: async () => {
          if (broken) throw new Error('the bucket is locked');
          return true;
        },
      },
    });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    await t.client.of(Widget).delete(key);
    await t.clock.advance(1_000);
    expect(t.widget?.metadata.finalizers).toEqual([finalizer]);
    expect(t.synced).toMatchObject({
      status: 'False',
      reason: 'FinalizeFail',
      message: 'Last error: the bucket is locked',
    });
    broken = false;
    await t.clock.advance(10_000);
    expect(t.widget).toBeUndefined();
  });

  it('waits for a dependency, says for which, and goes on the moment it is ready', async () => {
    const t = await setUp({
      retryAfter: 600_000,
      actor: {
        ...keepPart,
        dependencies: ({ spec }) =>
          spec.needs ? [{ kind: Base, key: { namespace: 'default', name: spec.needs } }] : [],
      },
    });
    await t.client.of(Widget).create(widget('w', 1, 'b'));
    await t.clock.settle();
    expect(t.synced).toMatchObject({
      status: 'False',
      reason: 'DependencyNotReady',
      message: 'waiting: Base default/b does not exist yet',
    });
    expect(t.widget?.metadata.finalizers).toBeUndefined();
    await t.client.of(Base).create({ metadata: { name: 'b', namespace: 'default' } });
    await t.clock.settle();
    expect(t.synced?.message).toBe('waiting: Base default/b is not ready');
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Fine',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    await t.client.of(Base).patch({ namespace: 'default', name: 'b' }, merge({ status: { conditions: [ready] } }), {
      subresource: 'status',
    });
    await t.clock.settle();
    expect(t.synced?.status).toBe('True');
    expect(t.api.at(`${basePath}/b`)).toBeDefined();
  });

  it('tells an error in the condition and a warning, and retries with backoff', async () => {
    let failures = 3;
    const t = await setUp({
      actor: {
        observe: async () => {
          if (failures-- > 0) throw new Error('no route to HAKeeper');
          return undefined;
        },
      },
    });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(t.synced).toMatchObject({
      status: 'False',
      reason: 'ReconcileFail',
      message: 'Last error: no route to HAKeeper',
    });
    await t.clock.advance(100);
    expect(t.passes).toBe(4);
    expect(t.synced?.status).toBe('True');
    await t.manager.stop();
    const kinds = t.events().map((write) => write.split(' ')[0]);
    expect(kinds).toEqual(['POST', 'PATCH', 'POST', 'PATCH']);
  });

  it('takes a Resync as waiting: no event, no backoff, its own delay', async () => {
    const t = await setUp({
      actor: {
        observe: async () => {
          throw new Resync('3 of 5 stores are up', 15_000);
        },
      },
    });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(t.synced).toMatchObject({ status: 'False', reason: 'Waiting', message: '3 of 5 stores are up' });
    await t.clock.advance(14_999);
    expect(t.passes).toBe(1);
    await t.clock.advance(1);
    expect(t.passes).toBe(2);
    expect(t.events()).toEqual([]);
  });

  it('comes back after retryAfter when somebody else wrote first', async () => {
    let first = true;
    const t = await setUp({
      actor: {
        observe: async () => {
          if (!first) return undefined;
          first = false;
          throw conflict(Widget, 'w', 'the object has been modified');
        },
      },
    });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(t.synced).toBeUndefined();
    await t.clock.advance(2_000);
    expect(t.synced?.status).toBe('True');
  });

  it('looks again in the desired state only when told to', async () => {
    const t = await setUp({ actor: {}, resyncAfter: 15_000 });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.advance(45_000);
    expect(t.passes).toBe(4);
  });

  it('gives an action without visible effect time, and calls it a loop at the fifth run', async () => {
    let runs = 0;
    const t = await setUp({
      actor: { observe: async () => ({ name: 'Poke', run: async () => void runs++ }) },
    });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(runs).toBe(1);
    expect(t.synced).toMatchObject({ status: 'False', reason: 'Reconciling', message: 'the object is reconciling' });
    await t.clock.advance(8_000);
    expect(runs).toBe(5);
    expect(t.synced).toMatchObject({ status: 'False', reason: 'ActionLoop' });
    await t.clock.advance(3_999);
    expect(runs).toBe(5);
    await t.clock.advance(1);
    expect(runs).toBe(6);
    await t.clock.advance(3_600_000);
    expect(runs).toBeLessThan(25);
    await t.manager.stop();
    expect(t.events().filter((write) => write.startsWith('POST'))).toHaveLength(1);
  });

  it.each([
    [
      'a merge patch',
      async ({ client }: ActorContext<Widget>) => client.of(Part).patch(key, merge({ data: { size: '1' } })),
    ],
    [
      'a JSON patch',
      async ({ client }: ActorContext<Widget>) =>
        client.of(Part).patch(key, json([{ op: 'add', path: '/data/size', value: '1' }])),
    ],
  ])('finds the loop although others write at the same time: %s', async (_, write) => {
    let runs = 0;
    const poke = async (context: ActorContext<Widget>) => {
      runs++;
      await write(context);
    };
    const t = await setUp({ actor: { observe: async () => ({ name: 'Poke', run: poke }) } });
    await t.client.of(Part).create(part('w', 1));
    let n = 0;
    // Just before the action's own request, so that the store has not seen it.
    t.api.intercept = async ({ path, query = {} }) => {
      if (path !== `${partPath}/w` || query['fieldManager'] === 'other') return;
      await t.client.of(Part).patch(key, merge({ metadata: { labels: { n: `${n++}` } } }), { fieldManager: 'other' });
    };
    await t.client.of(Widget).create(widget('w'));
    await t.clock.advance(8_000);
    expect(n).toBe(runs);
    expect(runs).toBe(5);
    expect(t.synced).toMatchObject({ status: 'False', reason: 'ActionLoop' });
  });

  it('takes a write for an effect although others write at the same time', async () => {
    let size = 0;
    const act = async ({ client }: ActorContext<Widget>) => {
      await client.of(Part).patch(key, merge({ data: { size: `${++size}` } }));
    };
    const t = await setUp({ actor: { observe: async () => ({ name: 'Grow', run: act }) } });
    await t.client.of(Part).create(part('w', 0));
    t.api.intercept = async ({ path, query = {} }) => {
      if (path !== `${partPath}/w` || query['fieldManager'] === 'other') return;
      const labels = { n: `${size}` };
      await t.client.of(Part).patch(key, merge({ metadata: { labels } }), { fieldManager: 'other' });
    };
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(size).toBe(10);
  });

  it('gives others a turn after ten steps', async () => {
    let runs = 0;
    const t = await setUp({
      actor: {
        observe: async () => ({
          name: 'Count',
          run: async ({ apply }) => void (await apply(Part, part('w', ++runs))),
        }),
      },
    });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(runs).toBe(10);
    await t.clock.advance(2_000);
    expect(runs).toBe(20);
  });

  it.each([
    ['True', 'not a reason', 'Ready: the reason "not a reason" is refused by API servers: give one word'],
    ['Yes', 'Fine', 'Ready: the status "Yes" is none: give True, False or Unknown'],
  ])(
    'says in Synced what is wrong with a condition that no server would take: %s, %s',
    async (status, reason, said) => {
      const observe: Actor<Widget>['observe'] = async ({ conditions }) =>
        void conditions.set('Ready', status as 'True', reason);
      const t = await setUp({ actor: { observe } });
      await t.client.of(Widget).create(widget('w'));
      await t.clock.settle();
      expect(t.synced?.message).toContain(said);
    },
  );

  it('leaves a Synced condition that the actor set itself', async () => {
    const t = await setUp({
      actor: { observe: async ({ conditions }) => void conditions.set('Synced', 'False', 'DNSetNotSynced', 'dn lags') },
    });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(t.synced).toMatchObject({ status: 'False', reason: 'DNSetNotSynced' });
    await t.clock.advance(2_000);
    expect(t.passes).toBe(2);
  });

  it('refuses to take over a child that another object controls', async () => {
    const t = await setUp({ actor: keepPart });
    const owner = { apiVersion: 'test.dev/v1', kind: 'Widget', name: 'x', uid: 'else', controller: true };
    await t.client.of(Part).create({ metadata: { name: 'w', namespace: 'default', ownerReferences: [owner] } });
    await t.client.of(Widget).create(widget('w'));
    await t.clock.settle();
    expect(t.synced?.message).toContain('cannot own configmaps default/w: it is controlled by Widget "x"');
  });

  it('backs off from a child that another writer keeps undoing, and says so once', async () => {
    const t = await setUp({ actor: keepPart });
    await t.client.of(Widget).create(widget('w', 1));
    await t.clock.settle();
    for (let i = 0; i < 40; i++) {
      await t.client.of(Part).patch(key, merge({ data: { size: 'mine' } }));
      await t.clock.advance(50);
    }
    const applies = t.writes().filter((write) => write === `PATCH ${partPath}/w`).length - 40;
    expect(applies).toBeLessThan(10);
    await t.clock.advance(120_000);
    expect(t.api.at<Part>(`${partPath}/w`)?.data).toEqual({ size: '1' });
  });

  it('survives a restart anywhere without writing anything new', async () => {
    const t = await setUp({ actor: keepPart });
    await t.client.of(Widget).create(widget('w', 3));
    await t.clock.settle();
    await t.manager.stop();
    const version = [t.widget?.metadata.resourceVersion, t.api.at(`${partPath}/w`)?.metadata.resourceVersion];
    const again = createManager({ client: t.client, name: 'test', clock: t.clock, random: seededRandom(2) });
    managers.push(again);
    again
      .actor(Widget, { finalize: async () => true, ...keepPart } as Actor<Widget>, { finalizer })
      .owns(Part)
      .run();
    await again.start();
    await t.clock.settle();
    expect([t.widget?.metadata.resourceVersion, t.api.at(`${partPath}/w`)?.metadata.resourceVersion]).toEqual(version);
  });
});
