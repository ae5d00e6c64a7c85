import type { DynamicObject, Kind } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { FakeServer } from '../client/fake-server.ts';
import { ConnectionError, createClient } from '../client/index.ts';
import { apiError, type Logger, seededRandom, silentLogger, VirtualClock } from '../core/index.ts';
import type { MetricSpec, MetricsRegistry } from '../metrics/index.ts';
import { createCache } from './cache.ts';

const things: Kind<DynamicObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };

function setUp() {
  const clock = new VirtualClock(1_000_000_000);
  const server = new FakeServer();
  const warnings: string[] = [];
  const log: Logger = { ...silentLogger, child: () => log, warn: (_, message) => warnings.push(message) };
  const series = new Map<string, number>();
  const client = createClient({ transport: server, clock, random: seededRandom(1) });
  const cache = createCache({ client, clock, random: seededRandom(2), log, metrics: registryInto(series) });
  const create = (name: string) => client.of(things).create({ metadata: { namespace: 'a', name } });
  const probes = () => server.requests.filter(({ query }) => query?.limit === '1').length;
  return { clock, server, cache, warnings, series, create, probes };
}

/** Keeps each series under `name{label}`. */
function registryInto(series: Map<string, number>): MetricsRegistry {
  const at = ({ name }: MetricSpec, labels: object) => `${name}{${Object.values(labels).join()}}`;
  const add = (spec: MetricSpec) => (labels: object, by: number) =>
    void series.set(at(spec, labels), (series.get(at(spec, labels)) ?? 0) + by);
  return {
    counter: (spec) => ({ inc: (labels, by = 1) => add(spec)(labels, by) }),
    gauge: (spec) => ({ set: (labels, value) => void series.set(at(spec, labels), value), add: add(spec) }),
    histogram: () => ({ observe() {} }),
  };
}

test('a silent watch is probed first, and replaced although the server answers', async () => {
  const { clock, server, cache, warnings, probes } = setUp();
  const informer = cache.informer(things);
  await informer.synced;
  await clock.advance(74_000);
  expect([probes(), informer.lag]).toEqual([0, 74_000]);
  await clock.advance(2_000);
  expect([probes(), informer.lag]).toEqual([1, 1_000]);
  await clock.advance(72_000);
  expect([probes(), informer.counts.watches, warnings]).toEqual([3, 1, []]);
  await clock.advance(4_000);
  expect([server.openWatches, informer.counts.watches, informer.counts.restarts]).toEqual([1, 2, 1]);
  expect(warnings).toEqual(['the watch failed; trying again']);
});

test('a watch that has brought a bookmark and misses the next is replaced sooner', async () => {
  const { clock, server, cache, probes } = setUp();
  const informer = cache.informer(things);
  await informer.synced;
  await clock.advance(30_000);
  server.bookmark();
  await clock.advance(89_000);
  expect([probes(), informer.counts.watches]).toEqual([1, 1]);
  await clock.advance(4_000);
  expect([server.openWatches, informer.counts.watches, informer.counts.restarts]).toEqual([1, 2, 1]);
  // The new one has brought none yet: of a kind that nothing happens to, none may come.
  await clock.advance(140_000);
  expect(informer.counts.watches).toBe(2);
});

test.each([
  ['the connection is refused', () => new ConnectionError('refused')],
  ['nothing comes back', () => 'hang'],
])('a silent watch whose probe is not answered (%s) is replaced at once, and lag and log say so', async (_, answer) => {
  const { clock, server, cache, warnings } = setUp();
  const informer = cache.informer(things);
  await informer.synced;
  const send = server.send.bind(server);
  server.send = (request) => (answer() === 'hang' ? new Promise(() => {}) : send(request));
  server.fail = (__, watch) => (watch ? undefined : answer());
  await clock.advance(82_000);
  expect(warnings.slice(0, 2)).toEqual([
    'the watch is silent, and the server did not answer a probe',
    'the watch failed; trying again',
  ]);
  expect(informer.counts).toMatchObject({ watches: 2, restarts: 1 });
  server.fail = () => new ConnectionError('refused');
  server.breakWatches(new ConnectionError('reset'));
  await clock.advance(500_000);
  expect(informer.lag).toBeGreaterThanOrEqual(499_000);
});

test('a server that refuses the probe has the connection still, so only the silence counts', async () => {
  const { clock, server, cache, warnings } = setUp();
  const informer = cache.informer(things);
  await informer.synced;
  server.fail = (_, watch) => (watch ? undefined : apiError(403, 'Forbidden', 'no list'));
  await clock.advance(149_000);
  expect([informer.counts.watches, informer.lag]).toEqual([1, 149_000]);
  expect(new Set(warnings)).toEqual(new Set(['the watch is silent, and the server did not answer a probe']));
  await clock.advance(3_000);
  expect(informer.counts.watches).toBe(2);
});

test('bookmarks are signs of life: no probe is sent', async () => {
  const { clock, server, cache, probes } = setUp();
  const informer = cache.informer(things);
  await informer.synced;
  for (let i = 0; i < 4; i++) {
    await clock.advance(58_000);
    server.bookmark();
    await clock.settle();
    expect(informer.lag).toBe(0);
  }
  expect([probes(), informer.counts.watches]).toEqual([0, 1]);
});

test('watches that are cut short three times in a row are told once, with where to look', async () => {
  const { clock, server, cache, warnings } = setUp();
  await cache.informer(things).synced;
  const told = () => warnings.filter((text) => text.includes('watches live less than 30s'));
  const cutAfter = async (ms: number) => {
    await clock.advance(ms);
    server.bookmark();
    await clock.settle();
    server.breakWatches();
    await clock.runUntil(() => server.openWatches === 1, { limit: 31_000 });
  };
  for (const ms of [20_000, 20_000, 40_000, 20_000, 20_000]) await cutAfter(ms);
  expect(told()).toEqual([]);
  for (let i = 0; i < 5; i++) await cutAfter(20_000);
  expect(told()).toEqual([expect.stringContaining('look for a proxy or load balancer')]);
});

test('counts what it does, and reports it by kind', async () => {
  const { clock, server, cache, create, series } = setUp();
  await create('x');
  const all = cache.informer(things);
  const some = cache.informer(things, { namespace: 'a' });
  await cache.synced();
  await create('y');
  await clock.settle();
  expect(all.counts).toEqual({ relists: 0, watches: 1, events: 2, restarts: 0 });
  server.compact();
  server.breakWatches(new ConnectionError('reset'));
  server.fail = (request, watch) =>
    watch && request.path.includes('/namespaces/') ? new ConnectionError('refused') : undefined;
  await create('z');
  server.compact();
  await clock.advance(40_000);
  expect(all.counts).toMatchObject({ relists: 1, watches: 2, events: 5, restarts: 2 });
  expect(some.counts).toMatchObject({ relists: 0, watches: 1, events: 2 });
  expect(cache.informers().map(({ counts }) => counts)).toEqual([all.counts, some.counts]);
  const sum = (what: keyof typeof all.counts) => all.counts[what] + some.counts[what];
  for (const what of ['relists', 'watches', 'events', 'restarts'] as const)
    expect(series.get(`coxswain_informer_${what}_total{things}`)).toBe(sum(what));
  const contact = series.get('coxswain_informer_last_contact_timestamp_seconds{things}') ?? 0;
  expect(contact).toBe(1_000_000);
  some.release();
  await clock.settle();
  server.bookmark();
  await clock.settle();
  expect(series.get('coxswain_informer_last_contact_timestamp_seconds{things}')).toBe(clock.now() / 1000);
});
