import { afterEach, describe, expect, it } from 'vitest';
import type { InformerScope } from '../cache/index.ts';
import { createClient, merge, type Transport, type WatchEvent } from '../client/index.ts';
import { seededRandom, sleep, VirtualClock } from '../core/index.ts';
import { createManager, type Manager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Base, Part, partPath, Widget, widget, widgetPath } from '../manager/test-kinds.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

/** Milliseconds by which the slow watches are behind the others. */
const late = 5_000;

/** A server two of whose watches of a kind are never in step: those that `isSlow` picks tell later. */
function behind(api: TestApi, isSlow: (path: string) => boolean): Transport {
  async function* delayed(events: AsyncIterable<readonly WatchEvent[]>): AsyncIterable<readonly WatchEvent[]> {
    let listed = false;
    for await (const batch of events) {
      if (listed) await sleep(api.clock, late);
      listed = true;
      yield batch;
    }
  }
  return {
    send: (request) => api.send(request),
    watch: async (request) => (isSlow(request.path) ? delayed(await api.watch(request)) : api.watch(request)),
    close: () => api.close(),
  };
}

function setUp(isSlow: (path: string) => boolean) {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = createClient({ transport: behind(api, isSlow), clock });
  const manager = createManager({ client, name: 'test', clock, random: seededRandom(1), shutdownTimeout: 0 });
  managers.push(manager);
  return { api, client: api.client(), clock, manager };
}

const ofAll = (path: string) => !path.includes('/namespaces/');
const ofOne = (path: string) => !ofAll(path);
const scope: InformerScope = { namespace: 'default' };
const key = { namespace: 'default', name: 'a' };

describe('an actor of one namespace', () => {
  /** Depends on objects of its own kind, whatever their namespace. */
  async function run(isSlow: (path: string) => boolean) {
    const t = setUp(isSlow);
    const seen: number[] = [];
    const actor = {
      dependsOn: [Widget],
      dependencies: ({ spec }: Widget) =>
        spec.needs ? [{ kind: Widget, key: { namespace: 'default', name: spec.needs }, ready: () => true }] : [],
      observe: async ({ object }: { object: Widget }) => void seen.push(object.spec.size) as undefined,
      finalize: async () => true,
    };
    t.manager.actor(Widget, actor, { finalizer: 'test.dev/widget' }).scope(scope).run();
    await t.manager.start();
    await t.client.of(Widget).create(widget('b'));
    await t.client.of(Widget).create(widget('a', 1, 'b'));
    await t.clock.advance(60_000);
    return { ...t, seen };
  }

  it.each([
    ['all namespaces', ofAll],
    ['its namespace', ofOne],
  ])('misses no change of its object while the watch of %s is behind', async (_, isSlow) => {
    const t = await run(isSlow);
    await t.client.of(Widget).patch(key, merge({ spec: { size: 7 } }));
    await t.clock.advance(60_000);
    expect(t.seen.at(-1)).toBe(7);
    await t.client.of(Widget).delete(key);
    await t.clock.advance(60_000);
    expect(t.api.at(`${widgetPath}/a`)).toBeUndefined();
  });

  it('is not shown its kind by an informer that may list nothing', async () => {
    const t = setUp(() => false);
    t.api.intercept = ({ path, method }) => {
      if (method === 'GET' && ofAll(path)) throw new Error('this role may not look there');
    };
    const seen: string[] = [];
    t.manager.cache.informer(Widget, {}, { optional: true });
    t.manager
      .controller(Widget)
      .scope(scope)
      .run({ reconcile: async ({ cache }) => void seen.push(...[...cache.store(Widget).list()].map(nameOf)) });
    await t.manager.start();
    await t.client.of(Widget).create(widget('a'));
    await t.clock.settle();
    expect(seen).toEqual(['a']);
  });
});

const nameOf = ({ metadata }: Widget) => metadata.name;

describe('a controller that watches a kind twice', () => {
  it.each([
    ['all', ofAll],
    ['one namespace', ofOne],
  ])('looks again when the watch of %s, which is behind, has caught up', async (_, isSlow) => {
    const t = setUp(isSlow);
    const seen = new Map<string, string | undefined>();
    t.manager
      .controller(Base)
      .owns(Part)
      .watches(Part, { scope, map: ({ metadata: { namespace } }) => [{ name: 'reader', namespace: namespace ?? '' }] })
      .run({
        reconcile: async ({ key: { name }, cache }) => void seen.set(name, cache.store(Part).get(key)?.data?.['x']),
      });
    await t.manager.start();
    await t.client.of(Part).create({ metadata: key, data: { x: '1' } });
    await t.clock.advance(60_000);
    await t.client.of(Part).patch(key, merge({ data: { x: '2' } }));
    await t.clock.advance(60_000);
    expect(seen.get('reader')).toBe('2');
    await t.client.of(Part).delete(key);
    await t.clock.advance(60_000);
    expect([t.api.at(`${partPath}/a`), seen.get('reader')]).toEqual([undefined, undefined]);
  });

  it('is told nothing of objects that are outside of what it asked for', async () => {
    const t = setUp(() => false);
    const mapped: string[] = [];
    t.manager
      .controller(Base)
      .owns(Part)
      .watches(Part, {
        scope,
        map: ({ metadata }) => {
          mapped.push(`${metadata.namespace}/${metadata.name}`);
          return [];
        },
      })
      .run({ reconcile: async () => {} });
    await t.manager.start();
    await t.client.of(Part).create({ metadata: { name: 'a', namespace: 'elsewhere' } });
    await t.client.of(Part).create({ metadata: key });
    await t.clock.settle();
    expect(new Set(mapped)).toEqual(new Set(['default/a']));
  });
});
