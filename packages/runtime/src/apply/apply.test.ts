import type { Condition, KubeObject } from '@coxswain/k8s';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Cache, createCache, type OwnWriteSink, withReadYourWrites } from '../cache/index.ts';
import { type Client, json, merge } from '../client/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, partPath, Widget, widget, widgetPath } from '../manager/test-kinds.ts';
import {
  ApplyMemory,
  addFinalizer,
  applyObject,
  contains,
  findCondition,
  isReady,
  isTrueAt,
  mergeDiff,
  removeCondition,
  removeFinalizer,
  setCondition,
  writeStatus,
} from './index.ts';

const key = { namespace: 'default', name: 'w' };
let clock: VirtualClock;
let api: TestApi;
let client: Client;

beforeEach(() => {
  clock = new VirtualClock();
  api = new TestApi(clock);
  client = api.client();
});

describe('conditions', () => {
  const now = Date.UTC(2026, 0, 1);
  const ready = { type: 'Ready', status: 'True', reason: 'Fine', message: '', observedGeneration: 2 } as const;

  it('moves the transition time with the status only', () => {
    const first = setCondition(undefined, ready, now);
    const second = setCondition(first, { ...ready, reason: 'Better' }, now + 5_000);
    const third = setCondition(second, { ...ready, status: 'False' }, now + 9_000);
    expect(second[0]?.lastTransitionTime).toBe('2026-01-01T00:00:00Z');
    expect(third[0]?.lastTransitionTime).toBe('2026-01-01T00:00:09Z');
  });

  it('answers the same list when nothing changed, and keeps the others and their order', () => {
    const list = setCondition(setCondition([], ready, now), { ...ready, type: 'Synced' }, now);
    expect(setCondition(list, ready, now + 1_000)).toBe(list);
    expect(setCondition(list, { ...ready, status: 'False' }, now).map(({ type }) => type)).toEqual(['Ready', 'Synced']);
    expect(removeCondition(list, 'Other')).toBe(list);
    expect(removeCondition(list, 'Ready')).toHaveLength(1);
  });

  it('stores an empty reason as the API allows', () => {
    expect(setCondition([], { ...ready, reason: '' }, now)[0]?.reason).toBe('empty');
  });

  it('tells ready from ready at this generation', () => {
    const object = { metadata: { name: 'w', generation: 3 }, status: { conditions: setCondition([], ready, now) } };
    expect(isReady(object)).toBe(true);
    expect(isTrueAt(object, 'Ready')).toBe(false);
    expect(isTrueAt(object, 'Ready', 2)).toBe(true);
    expect(findCondition({ metadata: { name: 'x' }, status: null } as KubeObject, 'Ready')).toBeUndefined();
  });
});

describe('finalizers', () => {
  const names = () => api.at(`${widgetPath}/w`)?.metadata.finalizers;

  it('adds without touching what others added meanwhile', async () => {
    const stale = await client.of(Widget).create(widget('w'));
    await client.of(Widget).patch(key, merge({ metadata: { finalizers: ['other/a'] } }));
    await addFinalizer(client, Widget, stale, 'test.dev/own');
    expect(names()).toEqual(['other/a', 'test.dev/own']);
    await addFinalizer(client, Widget, stale, 'test.dev/own');
    expect(names()).toEqual(['other/a', 'test.dev/own']);
  });

  it('adds it once, whoever else does at the same time', async () => {
    const other = { ...widget('w'), metadata: { ...widget('w').metadata, finalizers: ['other/a'] } };
    const stale = await client.of(Widget).create(other);
    await addFinalizer(client, Widget, stale, 'test.dev/own');
    await addFinalizer(client, Widget, stale, 'test.dev/own');
    expect(names()).toEqual(['other/a', 'test.dev/own']);
  });

  it('removes it however often it is there', async () => {
    const finalizers = ['own/x', 'a/a', 'own/x'];
    const twice = await client.of(Widget).create({ ...widget('w'), metadata: { ...widget('w').metadata, finalizers } });
    await removeFinalizer(client, Widget, twice, 'own/x');
    expect(names()).toEqual(['a/a']);
  });

  it('removes its own only, wherever it has moved', async () => {
    await client
      .of(Widget)
      .create({ ...widget('w'), metadata: { ...widget('w').metadata, finalizers: ['a/a', 'own/x', 'b/b'] } });
    const stale = await client.of(Widget).get(key);
    await client.of(Widget).patch(key, json([{ op: 'remove', path: '/metadata/finalizers/0' }]));
    await removeFinalizer(client, Widget, stale, 'own/x');
    expect(names()).toEqual(['b/b']);
    const before = api.writes.length;
    await removeFinalizer(client, Widget, await client.of(Widget).get(key), 'own/x');
    expect(api.writes.length).toBe(before);
  });

  it('leaves a new object of the same name alone', async () => {
    const object = { ...widget('w'), metadata: { ...widget('w').metadata, finalizers: ['own/x'] } };
    const old = await client.of(Widget).create(object);
    await client.of(Widget).patch(key, merge({ metadata: { finalizers: null } }));
    await client.of(Widget).delete(key);
    await client.of(Widget).create(object);
    expect(await removeFinalizer(client, Widget, old, 'own/x')).toBeUndefined();
    expect(names()).toEqual(['own/x']);
  });

  it('gives up with a conflict when the list never stands still', async () => {
    const object = await client
      .of(Widget)
      .create({ ...widget('w'), metadata: { ...widget('w').metadata, finalizers: ['a/a', 'own/x'] } });
    let i = 0;
    api.intercept = async (request) => {
      if (request.method !== 'PATCH' || request.query?.fieldManager === 'rival') return;
      const finalizers = i++ % 2 === 0 ? ['own/x', 'a/a'] : ['a/a', 'own/x'];
      await client.of(Widget).patch(key, merge({ metadata: { finalizers } }), { fieldManager: 'rival' });
    };
    await expect(removeFinalizer(client, Widget, object, 'own/x')).rejects.toThrow('keep changing');
  });
});

describe('status', () => {
  const condition = (type: string, status: Condition['status'], reason = 'R'): Condition => ({
    type,
    status,
    reason,
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  const status = () => api.at<Widget>(`${widgetPath}/w`)?.status;

  it('writes only what differs, and nothing when nothing does', async () => {
    const object = await client.of(Widget).create(widget('w'));
    const after = await writeStatus(client, Widget, object, { made: 1, parts: { a: 1, b: 2 } });
    expect(status()).toEqual({ made: 1, parts: { a: 1, b: 2 } });
    const before = api.writes.length;
    await writeStatus(client, Widget, after ?? object, { made: 1, parts: { a: 1, b: 2 } });
    expect(api.writes.length).toBe(before);
    await writeStatus(client, Widget, after ?? object, { parts: { b: 3 } });
    expect(status()).toEqual({ parts: { b: 3 } });
  });

  it('lays its changes over those that others made meanwhile, conditions by type', async () => {
    await client.of(Widget).create(widget('w'));
    const first = { made: 1, conditions: [condition('Ready', 'False'), condition('Old', 'True')] };
    const base = await writeStatus(client, Widget, await client.of(Widget).get(key), first);
    const theirs = { other: 'x', conditions: [...first.conditions, condition('Theirs', 'True')] };
    await client.of(Widget).patch(key, merge({ status: theirs }), { subresource: 'status' });
    const ours = { made: 2, conditions: [condition('Ready', 'True'), condition('Synced', 'True')] };
    await writeStatus(client, Widget, base as Widget, ours);
    expect(status()).toEqual({
      made: 2,
      other: 'x',
      conditions: [condition('Ready', 'True'), condition('Theirs', 'True'), condition('Synced', 'True')],
    });
  });

  it('answers undefined when the object is gone or another has its name', async () => {
    const object = await client.of(Widget).create(widget('w'));
    await client.of(Widget).delete(key);
    expect(await writeStatus(client, Widget, object, { made: 1 })).toBeUndefined();
    await client.of(Widget).create(widget('w'));
    expect(await writeStatus(client, Widget, object, { made: 1 })).toBeUndefined();
    expect(status()).toBeUndefined();
  });

  it('makes the smallest merge patch', () => {
    expect(mergeDiff({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { a: 1, b: { c: 1, d: 3 }, e: [1] })).toEqual({
      b: { d: 3 },
    });
    expect(mergeDiff({ a: 1, b: 2 }, { a: 1, b: undefined })).toEqual({ b: null });
    expect(mergeDiff({ a: [1] }, { a: [1] })).toBeUndefined();
  });
});

describe('contains', () => {
  it.each([
    ['what the server adds', { a: 1, b: 2, s: { x: 1 } }, { a: 1, s: {} }, true],
    ['a value changed', { a: 1 }, { a: 2 }, false],
    ['a field gone', { a: 1 }, { a: 1, b: 'x' }, false],
    [
      'quantities by amount',
      { limits: { cpu: '500m', memory: '1Gi' } },
      { limits: { cpu: 0.5, memory: '1024Mi' } },
      true,
    ],
    ['quantities that differ', { limits: { cpu: '500m' } }, { limits: { cpu: '1' } }, false],
    ['texts that only look like quantities', { labels: { n: '1000' } }, { labels: { n: '1k' } }, false],
    [
      'list elements with defaults',
      { c: [{ name: 'a', image: 'i', pull: 'Always' }] },
      { c: [{ name: 'a', image: 'i' }] },
      true,
    ],
    [
      'keyed lists in another order',
      { c: [{ name: 'b' }, { name: 'a' }] },
      { c: [{ name: 'a' }, { name: 'b' }] },
      true,
    ],
    ['an element more', { c: [{ name: 'a' }, { name: 'b' }] }, { c: [{ name: 'a' }] }, false],
    ['an element less', { c: [] }, { c: [{ name: 'a' }] }, false],
    ['plain lists in another order', { args: ['b', 'a'] }, { args: ['a', 'b'] }, false],
    [
      'ports by number and protocol',
      {
        ports: [
          { port: 53, protocol: 'UDP' },
          { port: 53, protocol: 'TCP' },
        ],
      },
      {
        ports: [
          { port: 53, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
      },
      true,
    ],
    ['nulls and empty objects that the server drops', {}, { a: null, b: {}, c: [] }, true],
  ])('%s', (_what, actual, desired, expected) => {
    expect(contains(actual, desired)).toBe(expected);
  });
});

describe('applyObject', () => {
  let cache: Cache & OwnWriteSink;
  let memory: ApplyMemory;
  const loops: string[] = [];

  beforeEach(async () => {
    cache = createCache({ client, clock, random: seededRandom(1) });
    await cache.informer(Part).synced;
    memory = new ApplyMemory();
    loops.length = 0;
  });

  const apply = (data: Record<string, string>, owner?: Widget, resourceVersion?: string) =>
    applyObject(
      Part,
      { metadata: { name: 'w', namespace: 'default', labels: { app: 'w' }, resourceVersion }, data },
      {
        client: withReadYourWrites(client, cache),
        cache,
        clock,
        memory,
        fieldManager: 'test',
        onLoop: (message) => loops.push(message),
        ...(owner ? { owner: { kind: Widget, object: owner } } : {}),
      },
    );

  it('takes fields of others over, unless it is told not to', async () => {
    const forced: (string | undefined)[] = [];
    api.intercept = ({ method, query }) => {
      if (method === 'PATCH') forced.push(query?.force);
    };
    const options = { client, cache, clock, memory, fieldManager: 'test' };
    const desired = { metadata: { name: 'w', namespace: 'default' }, data: { a: '1' } };
    await applyObject(Part, desired, options);
    await applyObject(Part, { ...desired, data: { a: '2' } }, { ...options, force: false });
    expect(forced).toEqual(['true', 'false']);
  });

  it('sends once, and again only for another value or after drift', async () => {
    await apply({ a: '1' });
    await apply({ a: '1' });
    expect(api.writes).toHaveLength(1);
    await client.of(Part).patch(key, merge({ data: { other: 'x' } }));
    await clock.settle();
    await apply({ a: '1' });
    expect(api.writes).toHaveLength(2);
    await client.of(Part).patch(key, merge({ metadata: { labels: { app: 'x' } } }));
    await clock.settle();
    await apply({ a: '1' });
    expect(api.writes).toHaveLength(4);
    await apply({ b: '2' });
    expect(api.at<Part>(`${partPath}/w`)?.data).toEqual({ b: '2', other: 'x' });
  });

  it('sends nothing after a restart, for any number of children that are as they were applied', async () => {
    api.keepManagedFields = true;
    const owner = { ...widget('o'), metadata: { ...widget('o').metadata, uid: 'u' } };
    const operator = async (data: Record<string, string>) => {
      const started = createCache({ client, clock, random: seededRandom(1) });
      started.keepAppliedFields('test');
      await started.informer(Part).synced;
      const options = { client: withReadYourWrites(client, started), cache: started, clock, fieldManager: 'test' };
      const fresh = new ApplyMemory();
      const before = api.writes.length;
      for (let i = 0; i < 300; i++) {
        const desired = { metadata: { name: `c${i}`, namespace: 'default', labels: { app: 'w' } }, data };
        await applyObject(Part, desired, { ...options, memory: fresh, owner: { kind: Widget, object: owner } });
      }
      await started.stop();
      return api.writes.length - before;
    };
    expect(await operator({ a: '1', b: '2' })).toBe(300);
    expect(await operator({ a: '1', b: '2' })).toBe(0);
    // a field that the new version of the operator does not want any more goes
    expect(await operator({ a: '1' })).toBe(300);
    expect(api.at<Part>(`${partPath}/c299`)?.data).toEqual({ a: '1' });
    expect(await operator({ a: '1' })).toBe(0);
  });

  it('sends for an object that was deleted and made anew', async () => {
    await apply({ a: '1' });
    await client.of(Part).delete(key);
    await client
      .of(Part)
      .create({ metadata: { name: 'w', namespace: 'default', labels: { app: 'w' } }, data: { a: '1' } });
    await clock.settle();
    await apply({ a: '1' });
    expect(api.writes.at(-1)).toBe(`PATCH ${partPath}/w`);
  });

  it('refuses an owner of another namespace, and one that was never stored', async () => {
    const stored = { ...widget('o'), metadata: { name: 'o', namespace: 'else', uid: 'u' } };
    await expect(apply({}, stored)).rejects.toThrow('its owner is in namespace else');
    await expect(apply({}, widget('o'))).rejects.toThrow('has no uid');
    expect(api.writes).toEqual([]);
  });

  it('takes no fight for what the server stores otherwise, while somebody else writes other fields', async () => {
    let n = 0;
    const elsewhere = () => client.of(Part).patch(key, merge({ data: { other: String(n++) } }));
    const drops = async () => apply({ a: '1', dropped: 'x' });
    let others = false;
    api.intercept = async ({ method, body, contentType = '' }) => {
      if (method !== 'PATCH' || !contentType.includes('apply')) return;
      delete (body as { data: Record<string, string> }).data['dropped'];
      // Just before ours, so that the store has not seen it.
      if (others) await elsewhere();
    };
    await drops();
    others = true;
    for (let i = 0; i < 20; i++) {
      await elsewhere();
      await clock.settle();
      await drops();
    }
    api.intercept = () => {};
    expect(loops).toEqual([]);
  });

  it('bound to a version, sends nothing when there is nothing to change, and the version where there is', async () => {
    const sent: (string | undefined)[] = [];
    api.intercept = ({ method, body, contentType = '' }) => {
      if (method === 'PATCH' && contentType.includes('apply')) sent.push((body as Part).metadata.resourceVersion);
    };
    await apply({ a: '1' });
    await client.of(Part).patch(key, merge({ data: { other: 'x' } }));
    await clock.settle();
    const version = api.at<Part>(`${partPath}/w`)?.metadata.resourceVersion;
    await apply({ a: '1' }, undefined, version);
    await apply({ a: '1' }, undefined, '1');
    await apply({ a: '2' }, undefined, version);
    expect(sent).toEqual([undefined, version]);
  });

  it.each([false, true])(
    'leaves a fought-over child alone, longer each time, and starts afresh after peace (bound to versions: %s)',
    async (isBound) => {
      const known = () => (isBound ? cache.store(Part).get(key)?.metadata.resourceVersion : undefined);
      const fight = async () => {
        await client.of(Part).patch(key, merge({ data: { a: 'theirs' } }));
        await clock.settle();
        await apply({ a: '1' }, undefined, known());
      };
      await apply({ a: '1' });
      for (let i = 0; i < 20; i++) await fight();
      expect(loops).toHaveLength(1);
      expect(loops[0]).toContain('ConfigMap default/w was changed back 5 times');
      expect(api.at<Part>(`${partPath}/w`)?.data).toEqual({ a: 'theirs' });
      await clock.advance(1_000);
      const before = api.writes.length;
      await apply({ a: '1' });
      expect(api.writes.length).toBe(before + 1);
      await clock.advance(700_000);
      await fight();
      await fight();
      expect(api.at<Part>(`${partPath}/w`)?.data).toEqual({ a: '1' });
    },
  );
});
