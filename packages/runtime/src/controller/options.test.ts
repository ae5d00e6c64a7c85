import { describe, expect, it } from 'vitest';
import { createCache } from '../cache/index.ts';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { createManager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Part, Widget } from '../manager/test-kinds.ts';
import { WorkQueue } from '../queue/index.ts';
import { and, fieldChanged, not, or, pollSource } from './index.ts';

const clock = new VirtualClock();
const client = new TestApi(clock).client();
const builder = () => createManager({ client, name: 'test', clock }).controller(Widget);
const times = [Number.NaN, Number.POSITIVE_INFINITY, -1, '5', null];

describe('options of a controller', () => {
  it.each(['workers', 'timeout', 'debounce', 'resync', 'startupTimeout'])('%s: refuses what is no number', (name) => {
    for (const value of times)
      expect(() => builder().options({ [name]: value })).toThrow(`controller widget: "${name}"`);
  });

  it.each([
    ['rate', 'perSecond', { burst: 1 }],
    ['rate', 'burst', { perSecond: 1 }],
    ['backoff', 'min', { max: 1_000 }],
    ['backoff', 'max', { min: 1 }],
  ])('%s.%s: refuses what is no number, and none', (option, name, rest) => {
    for (const value of [...times, undefined]) {
      const given = { [option]: { ...rest, [name]: value } };
      expect(() => builder().options(given)).toThrow(`controller widget: "${option}.${name}"`);
    }
  });

  it.each([
    [{ worker: 3 }, 'unknown option `worker`; did you mean `workers`?'],
    [{ rate: { perSecond: 1, burst: 1, persecond: 2 } }, 'did you mean `perSecond`?'],
    [{ backoff: { min: 1, max: 2, mx: 3 } }, 'unknown option `mx`'],
    [{ backoff: { min: 3, max: 2 } }, '"backoff.max" is 2; give a number of milliseconds from 3'],
    [{ startup: 'wiat' }, '"startup" is "wiat"; give "wait" or "fail"'],
    [{ leaderOnly: 'no' }, '"leaderOnly" is "no"'],
    [{ sharding: { namespace: 'a', lease: 'b', shard: 3 } }, 'did you mean `shards`?'],
    [{ sharding: { namespace: 'a', lease: 'b', shards: '3' } }, '"shards" is "3"'],
    [{ sharding: { namespace: 'a' } }, '"lease" is missing'],
    [
      { sharding: { namespace: 'a', lease: 'b', times: { leaseDuration: Number.POSITIVE_INFINITY } } },
      '"leaseDuration"',
    ],
    [[], 'options are an object, not an array'],
    [null, 'options are an object, not null'],
  ])('refuses %j', (options, message) => {
    expect(() => builder().options(options as never)).toThrow(message);
  });

  it('takes none at all, and those that are', () => {
    builder()
      .options({})
      .options({ workers: 1, resync: 1_000, startup: 'fail', backoff: { min: 1, max: 1 } });
  });
});

describe('sources', () => {
  it.each([
    [{ scop: {} }, 'owns configmaps: unknown option `scop`; did you mean `scope`?'],
    [{ map: () => [] }, 'unknown option `map`'],
    [{ where: 'spec' }, '"where" is a string; give a function'],
    [{ where: async () => true }, 'it has to answer at once'],
    [{ scope: { label: { a: 'b' } } }, 'scope of owns configmaps: unknown option `label`; did you mean `labels`?'],
    [{ scope: { labels: { matchLabels: { a: 'b' } } } }, 'the value of label "matchLabels" is no text'],
    [{ scope: { labels: 'a in' } }, ''],
    [{ scope: { labels: { 'a b': 'c' } } }, 'name part must consist of'],
    [{ scope: { fields: { '.metadata.name': 'c' } } }, 'is no field'],
    [{ scope: { fields: 'metadata.name' } }, "can't understand"],
    [{ scope: { namespace: ['a'] } }, 'for several namespaces give "namespaces"'],
    [{ scope: { namespaces: 'a' } }, '"namespaces" is no list'],
    [{ scope: { namespace: 'a', namespaces: ['b'] } }, 'not both'],
    [{ scope: { transform: {} } }, '"transform" is a object'],
  ])('owns refuses %j', (options, message) => {
    expect(() => builder().owns(Part, options as never)).toThrow(message);
  });

  it('watches needs a map that answers at once', () => {
    expect(() => builder().watches(Part, {} as never)).toThrow('watches configmaps: give "map"');
    expect(() => builder().watches(Part, { map: async () => [] } as never)).toThrow('it has to answer at once');
  });

  it.each([undefined, null, 'Pod', {}, { kind: 'Pod', group: '', version: 'v1' }])('refuses %j as a kind', (kind) => {
    expect(() => builder().owns(kind as never)).toThrow('owns: this is no kind');
    expect(() => builder().watches(kind as never, { map: () => [] })).toThrow('watches: this is no kind');
  });

  it('of the own kind are checked when it is run', () => {
    const run = { reconcile: async () => {} };
    expect(() =>
      builder()
        .where('x' as never)
        .run(run),
    ).toThrow('"where" is a string');
    expect(() =>
      builder()
        .scope({ lables: 'a=b' } as never)
        .run(run),
    ).toThrow('did you mean `labels`?');
  });

  it('a cache refuses the same scopes', () => {
    const cache = createCache({ client, clock });
    expect(() => cache.informer(Part, { label: 'a=b' } as never)).toThrow('did you mean `labels`?');
    expect(() => createCache({ client, metric: {} } as never)).toThrow('did you mean `metrics`?');
  });
});

describe('other things that are given to a controller', () => {
  it('predicates are functions', () => {
    const and2 = and as (...all: unknown[]) => unknown;
    expect(() => and2(() => true, undefined)).toThrow('and: "predicate 2" is null');
    expect(() => or('labels' as never)).toThrow('or: "predicate 1" is a string');
    expect(() => not(undefined as never)).toThrow('not: "predicate 1"');
    expect(() => fieldChanged('spec' as never)).toThrow('fieldChanged: "select" is a string');
  });

  it('polled sources name what they do not understand', () => {
    const list = () => [{ name: 'a' }];
    expect(() => pollSource({ every: 1, list, timout: 3 } as never)).toThrow('did you mean `timeout`?');
    expect(() => pollSource({ list } as never)).toThrow('"every" is null');
    expect(() => pollSource({ every: 1 } as never)).toThrow('"list" is null; give a function');
    for (const every of times) expect(() => pollSource({ every, list } as never)).toThrow('poll source poll: "every"');
  });

  it('queues too', () => {
    const random = seededRandom(1);
    expect(() => new WorkQueue({ clock, random, ratee: 1 } as never)).toThrow('did you mean `rate`?');
    expect(() => new WorkQueue({ clock, random, ageing: Number.NaN })).toThrow('work queue: "ageing" is NaN');
    expect(() => new WorkQueue({ clock, random, rate: { perSecond: 0, burst: 1 } })).toThrow('"rate.perSecond" is 0');
  });
});
