import type { KubeObject } from '@coxswain/k8s';
import { isExpired, type Logger, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HistoryOptions } from './options.ts';
import { Store } from './store.ts';
import type { StorageEvent, StorageKey, StorageScope } from './types.ts';

const pods = '/pods';
const key = (name: string, namespace = 'default', resource = pods): StorageKey => ({ resource, namespace, name });
const object = (name: string, extra: object = {}): KubeObject => ({ metadata: { name }, ...extra });
const names = (objects: readonly KubeObject[]) => objects.map((o) => o.metadata.name);

function newStore(history: HistoryOptions = {}, log: Logger = silentLogger) {
  const clock = new VirtualClock();
  return { clock, store: new Store({ clock, log, history }) };
}

test('a commit stamps, freezes and keeps the object; the given one is not changed', () => {
  const { store } = newStore();
  const given = object('a', { spec: { list: [{ x: 1 }] } });
  const stored = store.put(key('a'), given);
  expect(stored).toEqual({ metadata: { name: 'a', resourceVersion: '2' }, spec: { list: [{ x: 1 }] } });
  expect(store.get(key('a'))).toBe(stored);
  expect(given.metadata.resourceVersion).toBeUndefined();
  expect(() => {
    (stored as unknown as { spec: { list: { x: number }[] } }).spec.list[0] = { x: 2 };
  }).toThrow(TypeError);
  const last = store.delete(key('a'));
  expect(last.metadata.resourceVersion).toBe('3');
  expect(store.get(key('a'))).toBeUndefined();
  expect(() => store.delete(key('a'))).toThrow(/no default\/a/);
  expect(store.revision).toBe(3);
});

test('what was not used for a while is kept as text, and read from it again unless somebody holds it', () => {
  const store = new Store({ clock: new VirtualClock(), log: silentLogger, recentBytes: 3000 });
  const put = (name: string) => store.put(key(name), object(name, { data: 'x'.repeat(500) }));
  const used = put('used');
  const idle = put('idle');
  for (let i = 0; i < 20; i++) {
    put(`more-${i}`);
    expect(store.get(key('used'))).toBe(used);
  }
  expect(store.get(key('idle'))).toBe(idle);
  expect(store.get(key('more-1'))).toEqual(
    object('more-1', { metadata: { name: 'more-1', resourceVersion: '5' }, data: 'x'.repeat(500) }),
  );
  expect(Object.isFrozen(store.get(key('idle'))?.metadata)).toBe(true);
  const state = store.find(key('idle'));
  expect(JSON.parse(String(state?.json))).toEqual(idle);
  expect(state?.revision).toBe(3);
  expect(store.list(pods).objects).toHaveLength(22);
});

test('lists go in the order of namespace/name, by page, with the number that remains', () => {
  const { store } = newStore();
  for (const [namespace, name] of [
    ['b', 'x'],
    ['a', 'z'],
    ['a', 'y'],
    ['a-b', 'x'],
    ['c', 'x'],
  ] as const) {
    store.put(key(name, namespace), object(`${namespace}/${name}`));
  }
  expect(names(store.list(pods).objects)).toEqual(['a-b/x', 'a/y', 'a/z', 'b/x', 'c/x']);
  expect(names(store.list(pods, { namespace: 'a' }).objects)).toEqual(['a/y', 'a/z']);
  const page = store.list(pods, { after: 'a-b/x', limit: 2 });
  expect([names(page.objects), page.remaining]).toEqual([['a/y', 'a/z'], 2]);
  expect(names(store.list(pods, { namespace: 'a', after: 'a/y' }).objects)).toEqual(['a/z']);
  expect(store.list('/none')).toMatchObject({ objects: [], revision: 6, remaining: 0 });
});

test('cluster-scoped objects page by their name alone', () => {
  const { store } = newStore();
  for (const name of ['n2', 'n1', 'n3']) store.put(key(name, '', '/nodes'), object(name));
  expect(names(store.list('/nodes', { limit: 1 }).objects)).toEqual(['n1']);
  for (const after of ['n1', '/n1']) expect(names(store.list('/nodes', { after }).objects)).toEqual(['n2', 'n3']);
});

test('any past state can be listed, page by page, as it was', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
  const step = fc.record({ name: id, namespace: fc.constantFrom('n', 'n-1', 'm'), remove: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(), fc.integer({ min: 1, max: 5 }), (steps, pick, limit) => {
      const { store } = newStore();
      const model = new Map<string, KubeObject>();
      const states: { revision: number; objects: KubeObject[] }[] = [];
      const remember = () => {
        const objects = [...model].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
        states.push({ revision: store.revision, objects });
      };
      remember();
      for (const { name, namespace, remove } of steps) {
        const at = key(name, namespace);
        if (!remove) model.set(`${namespace}/${name}`, store.put(at, { metadata: { name, namespace } }));
        else if (model.delete(`${namespace}/${name}`)) store.delete(at);
        remember();
      }
      const state = states[pick % states.length] as (typeof states)[number];
      const seen: KubeObject[] = [];
      for (let after: string | undefined; ; ) {
        const page = store.list(pods, { revision: state.revision, limit, ...(after ? { after } : {}) });
        seen.push(...page.objects);
        expect(page.remaining).toBe(state.objects.length - seen.length);
        if (page.remaining === 0) break;
        // What happens between two pages changes nothing in the second.
        const other = key('abcdefg'[seen.length % 7] ?? 'a', 'n');
        if (store.get(other)) store.delete(other);
        else store.put(other, { metadata: { name: other.name, namespace: 'n' } });
        const last = page.objects.at(-1)?.metadata;
        after = `${last?.namespace}/${last?.name}`;
      }
      expect(seen).toEqual(state.objects);
      const inN = state.objects.filter((o) => o.metadata.namespace === 'n');
      expect(store.list(pods, { revision: state.revision, namespace: 'n' }).objects).toEqual(inN);
    }),
  );
});

test('a subscription gets the recorded events at once, then the live ones', () => {
  const { store } = newStore();
  const first = store.put(key('a'), object('a'));
  store.put(key('x', '', '/nodes'), object('x'));
  const second = store.put(key('a'), object('a'));
  const events: StorageEvent[] = [];
  const subscription = store.subscribe(pods, 2, (event) => events.push(event));
  expect(events).toMatchObject([{ type: 'updated', key: key('a'), revision: 4, object: second, previous: first }]);
  const last = store.delete(key('a'));
  expect(events[1]).toMatchObject({ type: 'deleted', key: key('a'), revision: 5, object: last, previous: second });
  subscription.cancel();
  store.put(key('b'), object('b'));
  expect(events).toHaveLength(2);
});

test('a subscription to a namespace or a name hears of nothing else', () => {
  const { store } = newStore();
  const heard: Record<string, number[]> = { all: [], namespace: [], name: [], node: [] };
  const listen = (as: string, resource: string, scope?: StorageScope) =>
    store.subscribe(resource, store.revision, ({ revision }) => heard[as]?.push(revision), scope);
  listen('all', pods);
  const subscription = listen('namespace', pods, { namespace: 'a' });
  listen('name', pods, { namespace: 'a', name: 'x' });
  listen('node', '/nodes', { namespace: '', name: 'x' });
  for (const [name, namespace] of [
    ['x', 'a'],
    ['y', 'a'],
    ['x', 'b'],
  ] as const)
    store.put(key(name, namespace), object(name));
  store.put(key('x', '', '/nodes'), object('x'));
  store.put(key('y', '', '/nodes'), object('y'));
  subscription.cancel();
  store.delete(key('x', 'a'));
  expect(heard).toEqual({ all: [2, 3, 4, 7], namespace: [2, 3], name: [2, 7], node: [5] });
});

test('subscribers may commit, subscribe and cancel while they are called; all see one order', () => {
  const { store } = newStore();
  const first: number[] = [];
  const second: number[] = [];
  const late: number[] = [];
  store.subscribe(pods, 1, (event) => {
    first.push(event.revision);
    if (event.revision === 2) {
      store.put(key('b'), object('b'));
      store.subscribe(pods, 1, (e) => late.push(e.revision));
    }
  });
  const other = store.subscribe(pods, 1, (event) => {
    second.push(event.revision);
    if (event.revision === 3) other.cancel();
  });
  store.put(key('a'), object('a'));
  store.put(key('c'), object('c'));
  expect(first).toEqual([2, 3, 4]);
  expect(second).toEqual([2, 3]);
  expect(late).toEqual([2, 3, 4]);
});

test('a subscriber that commits while it catches up still sees everything once', () => {
  const { store } = newStore();
  store.put(key('a'), object('a'));
  const seen: number[] = [];
  store.subscribe(pods, 1, (event) => {
    seen.push(event.revision);
    if (event.revision < 4) store.put(key(`n${event.revision}`), object('n'));
  });
  store.put(key('z'), object('z'));
  expect(seen).toEqual([2, 3, 4, 5]);
});

test('a throwing subscriber neither breaks the commit nor the others', () => {
  const failures: string[] = [];
  const { store } = newStore({}, { ...silentLogger, error: (_, message) => failures.push(message) });
  const seen: number[] = [];
  store.subscribe(pods, 1, () => {
    throw new Error('mine');
  });
  store.subscribe(pods, 1, (event) => seen.push(event.revision));
  store.put(key('a'), object('a'));
  expect([seen, failures.length]).toEqual([[2], 1]);
});

const expiredBy = (call: () => unknown) => {
  try {
    call();
  } catch (error) {
    return isExpired(error);
  }
  return false;
};

test('compacting makes older lists and watches expire, and nothing else', () => {
  const { store } = newStore();
  for (const name of ['a', 'b', 'c']) store.put(key(name), object(name));
  store.compact(3);
  expect(store.compacted).toBe(3);
  expect(expiredBy(() => store.list(pods, { revision: 2 }))).toBe(true);
  expect(expiredBy(() => store.subscribe(pods, 2, () => {}))).toBe(true);
  expect(expiredBy(() => store.subscribe('/other', 2, () => {}))).toBe(true);
  expect(names(store.list(pods, { revision: 3 }).objects)).toEqual(['a', 'b']);
  expect(names(store.list(pods).objects)).toEqual(['a', 'b', 'c']);
  store.subscribe(pods, 3, () => {});
  store.compact(99);
  expect(store.compacted).toBe(store.revision);
});

test('the past is forgotten by age, but a minimum of events stays for watches', async () => {
  const { store, clock } = newStore({ age: 60_000, minEvents: 2 });
  for (const name of ['a', 'b', 'c', 'd']) store.put(key(name), object(name));
  await clock.advance(30_000);
  expect(expiredBy(() => store.list(pods, { revision: 2 }))).toBe(false);
  await clock.advance(60_000);
  store.put(key('e'), object('e'));
  await clock.advance(61_000);
  expect(expiredBy(() => store.list(pods, { revision: 5 }))).toBe(true);
  const seen: number[] = [];
  store.subscribe(pods, 4, (event) => seen.push(event.revision));
  expect(seen).toEqual([5, 6]);
  expect(expiredBy(() => store.subscribe(pods, 3, () => {}))).toBe(true);
});

test('a storm of events is cut at the maximum', () => {
  const { store } = newStore({ minEvents: 10, maxEvents: 100 });
  for (let i = 0; i < 5000; i++) store.put(key('a'), object('a'));
  let count = 0;
  store.subscribe(pods, 4901, () => count++);
  expect(count).toBe(100);
  expect(expiredBy(() => store.subscribe(pods, 4900, () => {}))).toBe(true);
});

test('resources that are empty again are not named; a closed store takes no writes', async () => {
  const { store } = newStore();
  store.put(key('a'), object('a'));
  store.put(key('n', '', '/nodes'), object('n'));
  store.delete(key('a'));
  expect(store.resources()).toEqual(['/nodes']);
  await store.flushed();
  await store.close();
  expect(() => store.put(key('b'), object('b'))).toThrow(/closed/);
});
