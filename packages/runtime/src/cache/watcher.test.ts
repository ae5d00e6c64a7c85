import type { DynamicObject, Kind } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { FakeServer } from '../client/fake-server.ts';
import { ConnectionError, createClient } from '../client/index.ts';
import { apiError, expired, seededRandom, TimeoutError, VirtualClock } from '../core/index.ts';
import { createCache } from './cache.ts';
import type { StoreEvent } from './types.ts';

const things: Kind<DynamicObject> = { group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced' };

type Query = Readonly<Record<string, string>>;

function setUp(prepare: (server: FakeServer) => void = () => {}) {
  const clock = new VirtualClock();
  const server = new FakeServer();
  prepare(server);
  const client = createClient({ transport: server, clock, random: seededRandom(1) });
  const cache = createCache({ client, clock, random: seededRandom(2) });
  const resource = client.of(things);
  const create = (name: string) => resource.create({ metadata: { namespace: 'a', name } });
  const change = (name: string, n: number) => resource.patch({ namespace: 'a', name }, { type: 'merge', body: { n } });
  const informer = () => {
    const informer = cache.informer(things);
    const events: string[] = [];
    informer.onEvent((event) => events.push(describe(event)));
    const names = () => [...informer.store.list()].map(({ metadata }) => metadata.name).sort();
    return { informer, events, names };
  };
  const lists = () => server.requests.filter(({ method, query }) => method === 'GET' && query?.limit);
  const watches = () => server.requests.filter(({ query }) => query?.watch);
  /** In order, what was asked for; no probes. */
  const requests = () =>
    server.requests
      .filter(({ method, query }) => method === 'GET' && query?.limit !== '1')
      .map(({ query }) =>
        query?.sendInitialEvents ? 'stream' : query?.watch ? 'watch' : query?.limit ? 'pages' : 'list',
      );
  return { clock, server, client, cache, resource, create, change, informer, lists, watches, requests };
}

function describe(event: StoreEvent<DynamicObject>): string {
  const { name } = event.object.metadata;
  return `${event.type} ${name}${event.type === 'added' && event.initial ? ' (initial)' : ''}`;
}

test('streams the objects there are, then follows', async () => {
  const { cache, create, change, resource, informer, lists, watches, clock } = setUp();
  await create('x');
  const { informer: things, events } = informer();
  await cache.synced();
  expect(events).toEqual(['added x (initial)']);
  await create('y');
  await change('x', 1);
  await resource.delete({ namespace: 'a', name: 'y' });
  await clock.settle();
  expect(events.slice(1)).toEqual(['added y', 'updated x', 'deleted y']);
  expect(things.store.get({ namespace: 'a', name: 'x' })?.metadata.managedFields).toBeUndefined();
  expect(lists()).toHaveLength(0);
  expect(watches()).toHaveLength(1);
  expect(watches()[0]?.query).toMatchObject({ sendInitialEvents: 'true', allowWatchBookmarks: 'true' });
  expect(Number(watches()[0]?.query?.timeoutSeconds)).toBeGreaterThanOrEqual(240);
  expect(Number(watches()[0]?.query?.timeoutSeconds)).toBeLessThanOrEqual(480);
});

test('takes a list while it arrives where the transport can, then follows from its version', async () => {
  const { cache, create, change, informer, server, lists, watches, clock } = setUp((server) => server.handOnLists());
  for (const name of ['x', 'y']) await create(name);
  const { events } = informer();
  await cache.synced();
  expect(events).toEqual(['added x (initial)', 'added y (initial)']);
  await change('x', 1);
  await clock.settle();
  expect(events.slice(2)).toEqual(['updated x']);
  expect(lists()).toHaveLength(0);
  expect(watches().map(({ query }) => query?.resourceVersion)).toEqual(['102']);
  expect(watches()[0]?.query).not.toHaveProperty('sendInitialEvents');
  // and again when the history is gone
  server.breakWatches();
  server.compact();
  await create('z');
  server.compact();
  await clock.runUntil(() => events.includes('added z'), { limit: 60_000 });
  expect(lists()).toHaveLength(0);
});

test('a list that breaks off again and again is asked for as a watch, and no object is told twice', async () => {
  const { cache, create, informer, server, clock, watches } = setUp((server) => server.handOnLists(4));
  for (const name of ['x', 'y']) await create(name);
  const { events, names } = informer();
  void cache.synced();
  await clock.runUntil(() => names().length === 2 && watches().length > 0, { limit: 60_000 });
  expect(server.requests.filter(({ method, query }) => method === 'GET' && !query?.watch)).toHaveLength(3);
  expect(watches()[0]?.query).toMatchObject({ sendInitialEvents: 'true' });
  expect(events).toEqual(['added x (initial)', 'added y (initial)']);
});

test.each([
  apiError(504, 'Timeout', 'too long'),
  apiError(500, 'InternalError', 'too large'),
  new TimeoutError('late'),
])('a whole list that is too much for the server is asked for another way: %s', async (error) => {
  const { cache, create, informer, server, clock, lists } = setUp((server) => server.handOnLists());
  for (const name of ['x', 'y']) await create(name);
  server.refuseStreaming = true;
  server.fail = ({ method, query }, watch) => (method === 'GET' && !watch && !query?.limit ? error : undefined);
  const { names } = informer();
  void cache.synced();
  await clock.runUntil(() => names().length === 2, { limit: 60_000 });
  expect(lists()).toHaveLength(1);
});

test('an hour after another way of listing was taken, the first one is tried again, once', async () => {
  const { create, informer, server, clock, requests } = setUp((server) => server.handOnLists());
  server.refuseStreaming = true;
  await create('x');
  let whole: unknown = apiError(504, 'Timeout', 'too long');
  server.fail = ({ method, query }, watch) => (method === 'GET' && !watch && !query?.limit ? whole : undefined);
  const { names } = informer();
  await clock.runUntil(() => names().length === 1, { limit: 60_000 });
  const relist = async () => {
    const before = requests().length;
    const name = `x${names().length}`;
    server.autoDeliver = false;
    await create(name);
    server.compact();
    server.autoDeliver = true;
    server.breakWatches();
    await clock.runUntil(() => names().includes(name), { limit: 120_000 });
    await clock.settle();
    return requests().slice(before, -1);
  };
  expect(await relist()).toEqual(['watch', 'pages']);
  await clock.advance(3_600_000);
  expect(await relist()).toEqual(['watch', 'list', 'stream', 'pages']);
  expect(await relist()).toEqual(['watch', 'pages']);
  whole = undefined;
  await clock.advance(3_600_000);
  expect(await relist()).toEqual(['watch', 'list']);
  expect(await relist()).toEqual(['watch', 'list']);
});

test('a page that cannot be taken in is asked for again, and the next, which fails meanwhile, harms nobody', async () => {
  const { cache, create, informer, server, clock } = setUp((server) => {
    server.refuseStreaming = true;
  });
  for (let i = 0; i < 501; i++) await create(`x${i}`);
  const send = server.send.bind(server);
  let odd = true;
  server.send = async (request) => {
    const { query } = request;
    if (!odd || request.method !== 'GET') return send(request);
    if (!query?.continue) return { status: 200, body: { metadata: { continue: '1' }, items: [{}] }, warnings: [] };
    odd = false;
    throw expired('the page is gone');
  };
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  const { names } = informer();
  void cache.synced();
  await clock.runUntil(() => names().length === 501, { limit: 60_000 });
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

test('an answer that is no list says nothing of what there is', async () => {
  const { cache, create, informer, server, clock } = setUp((server) => {
    server.refuseStreaming = true;
  });
  await create('x');
  const { events, names } = informer();
  await cache.synced();
  const send = server.send.bind(server);
  let tables = 3;
  server.send = async (request) =>
    request.method === 'GET' && tables-- > 0
      ? { status: 200, body: { kind: 'Table', metadata: { resourceVersion: '999' }, rows: [{}] }, warnings: [] }
      : send(request);
  server.breakWatches();
  await create('y');
  server.compact();
  await clock.runUntil(() => names().length === 2, { limit: 120_000 });
  expect(tables).toBeLessThan(0);
  expect(events).toEqual(['added x (initial)', 'added y']);
});

test('lists by page when the server does not stream lists, and says so once', async () => {
  const { cache, create, informer, lists, watches } = setUp((server) => {
    server.refuseStreaming = true;
  });
  for (let i = 0; i < 1001; i++) await create(`x${i}`);
  const { names } = informer();
  await cache.synced();
  expect(names()).toHaveLength(1001);
  expect(lists()).toHaveLength(3);
  expect(watches().map(({ query }) => query?.resourceVersion)).toEqual([undefined, '1101']);
});

test('goes on from the last version when the connection breaks', async () => {
  const { clock, server, cache, create, informer, lists, watches } = setUp();
  const { names } = informer();
  await cache.synced();
  await create('x');
  await clock.settle();
  server.breakWatches(new ConnectionError('reset'));
  await create('y');
  await clock.runUntil(() => names().length === 2, { limit: 30_000 });
  expect(watches().map(({ query }) => query?.resourceVersion)).toEqual([undefined, '101']);
  expect(lists()).toHaveLength(0);
});

test('bookmarks move the version to go on from', async () => {
  const { clock, server, cache, create, informer, watches } = setUp();
  informer();
  await cache.synced();
  server.autoDeliver = false;
  for (let i = 0; i < 5; i++) await create(`x${i}`);
  server.bookmark();
  await clock.settle();
  server.breakWatches();
  await clock.advance(31_000);
  expect(watches().at(-1)?.query?.resourceVersion).toBe('105');
});

test.each([
  ['as the answer', (server: FakeServer) => server.compact()],
  ['as an event', (server: FakeServer) => server.inject({ type: 'ERROR', object: expired('too old').status })],
  [
    'as an event without a code',
    (server: FakeServer) => server.inject({ type: 'ERROR', object: { ...expired('too old').status, code: 0 } }),
  ],
])('lists again on 410 %s, and what is gone is deleted', async (_, expire) => {
  const { clock, server, cache, create, resource, informer } = setUp();
  await create('x');
  await create('y');
  const { events, names } = informer();
  await cache.synced();
  server.autoDeliver = false;
  await resource.delete({ namespace: 'a', name: 'x' });
  await create('z');
  expire(server);
  server.breakWatches(new ConnectionError('reset'));
  await clock.runUntil(() => names().join() === 'y,z', { limit: 60_000 });
  expect(events.slice(2).sort()).toEqual(['added z', 'deleted x']);
});

test('takes a version that fails three times as expired, when the server never says 410', async () => {
  const { clock, server, cache, create, informer, watches } = setUp();
  const { names } = informer();
  await cache.synced();
  server.fail = (request, watch) =>
    watch && request.query?.resourceVersion ? apiError(500, 'InternalError', 'compacted') : undefined;
  server.breakWatches(new ConnectionError('reset'));
  await create('x');
  await clock.runUntil(() => names().length === 1, { limit: 120_000 });
  expect(watches().map(({ query }) => query?.sendInitialEvents ?? 'from')).toEqual([
    'true',
    'from',
    'from',
    'from',
    'true',
  ]);
});

test('a server that closes each watch at once is not asked in a tight loop', async () => {
  const { clock, server, cache, informer, watches } = setUp();
  informer();
  await cache.synced();
  for (let i = 0; i < 600; i++) {
    server.breakWatches();
    await clock.advance(100);
  }
  expect(watches().length).toBeLessThan(20);
});

test('waits out a server that is away, with growing pauses, and never gives up', async () => {
  const { clock, server, cache, informer, watches, create } = setUp();
  const { names } = informer();
  await cache.synced();
  const before = watches().length;
  server.fail = () => new ConnectionError('refused');
  server.breakWatches(new ConnectionError('reset'));
  await clock.advance(3_600_000);
  const tries = watches().length - before;
  expect(tries).toBeGreaterThan(120);
  expect(tries).toBeLessThan(600);
  server.fail = () => undefined;
  await create('x');
  await clock.runUntil(() => names().length === 1, { limit: 31_000 });
});

const gadgets: Kind<DynamicObject> = { ...things, kind: 'Gadget', plural: 'gadgets' };

test.each([
  ['another watch comes back', undefined],
  ['a write of ours is answered', 'written'],
])('when %s after an outage, those that wait try again within about a second', async (_, how) => {
  let [late, tries] = [0, 0];
  for (let seed = 0; seed < 20; seed++) {
    const { clock, server, cache, informer, watches } = setUp();
    informer();
    cache.informer(gadgets);
    await cache.synced();
    server.fail = () => new ConnectionError('refused');
    server.breakWatches(new ConnectionError('reset'));
    await clock.advance(300_000 + seed * 7_000);
    const of = (plural: string) => watches().filter(({ path }) => path.endsWith(plural)).length;
    const before = { things: of('things'), gadgets: of('gadgets') };
    server.fail = () => undefined;
    if (how === 'written') cache.heard();
    else await clock.runUntil(() => of('things') > before.things || of('gadgets') > before.gadgets, { limit: 31_000 });
    await clock.advance(1_010);
    late += Number(of('things') === before.things) + Number(of('gadgets') === before.gadgets);
    tries += of('things') + of('gadgets') - before.things - before.gadgets;
    await cache.stop();
  }
  expect([late, tries]).toEqual([0, 40]);
});

test('one that alone is out of reach does not try in step with what the others hear', async () => {
  const { clock, server, cache, create, informer, watches } = setUp();
  const { informer: things } = informer();
  cache.informer(gadgets);
  await cache.synced();
  server.fail = ({ path }) => (path.endsWith('gadgets') ? new ConnectionError('refused') : undefined);
  server.breakWatches(new ConnectionError('reset'));
  const tries = () => watches().filter(({ path }) => path.endsWith('gadgets')).length;
  for (let i = 0; i < 600; i++) {
    await create(`x${i}`);
    await clock.advance(100);
  }
  expect([...things.store.list()].length).toBeGreaterThan(500);
  expect(tries()).toBeLessThan(25);
});

test('honours Retry-After', async () => {
  const { clock, server, cache, informer, watches } = setUp((server) => {
    server.fail = (_, watch) =>
      watch ? apiError(429, 'TooManyRequests', 'slow down', { retryAfterSeconds: 40 }) : undefined;
  });
  informer();
  await clock.advance(39_000);
  expect(watches()).toHaveLength(1);
  server.fail = () => undefined;
  await clock.advance(2_000);
  await cache.synced();
});

test('a silent watch is taken as dead', async () => {
  const { clock, cache, informer, watches } = setUp();
  informer();
  await cache.synced();
  await clock.advance(149_000);
  expect(watches()).toHaveLength(1);
  await clock.advance(3_000);
  expect(watches()).toHaveLength(2);
});

test('a watch the server should have ended is ended', async () => {
  const { clock, server, cache, informer, watches } = setUp();
  informer();
  await cache.synced();
  const seconds = Number(watches()[0]?.query?.timeoutSeconds);
  for (let at = 0; at < seconds + 12; at += 50) {
    server.bookmark();
    await clock.advance(50_000);
  }
  await clock.advance(3_000);
  expect(watches().length).toBeGreaterThan(1);
});

test('a server that was restarted empty is noticed by its bookmarks', async () => {
  const { clock, server, cache, create, informer } = setUp();
  await create('x');
  const { names } = informer();
  await cache.synced();
  server.restartEmpty();
  server.bookmark();
  await create('y');
  await clock.runUntil(() => names().join() === 'y', { limit: 60_000 });
  await create('z');
  await clock.settle();
  expect(names()).toEqual(['y', 'z']);
});

test('streams that end before the list is complete lead to pages', async () => {
  const { clock, server, cache, create, informer, lists } = setUp((server) => {
    const watch = server.watch.bind(server);
    server.watch = async (request) => {
      if (!request.query?.sendInitialEvents) return watch(request);
      return (async function* () {})();
    };
  });
  await create('x');
  const { names } = informer();
  const synced = cache.synced();
  await clock.runUntil(() => server.openWatches === 1, { limit: 60_000 });
  await synced;
  expect(names()).toEqual(['x']);
  expect(lists()).toHaveLength(1);
});

test('stopping ends the watch and leaves no timer', async () => {
  const { clock, server, cache, informer } = setUp();
  informer();
  await cache.synced();
  await cache.stop();
  expect(server.openWatches).toBe(0);
  expect(clock.untilNext).toBeUndefined();
});

test.each([
  ['a streamed list', false, (query: Query) => query.sendInitialEvents === 'true'],
  ['a list by page', true, (query: Query) => query.limit !== undefined],
  ['a watch', false, (query: Query) => query.resourceVersion !== undefined],
])(
  '%s that is turned away waits for as long as the server says, and goes on in the same way',
  async (_, refuse, busy) => {
    const { clock, server, cache, create, informer, watches, lists } = setUp((server) => {
      server.refuseStreaming = refuse;
    });
    await create('x');
    const asked: number[] = [];
    let away = true;
    server.fail = (request) => {
      if (!busy(request.query ?? {})) return undefined;
      asked.push(clock.monotonic());
      return away ? apiError(429, 'TooManyRequests', 'slow down', { retryAfterSeconds: 40 }) : undefined;
    };
    const { names } = informer();
    await clock.settle();
    server.breakWatches(new ConnectionError('reset'));
    await clock.advance(200_000);
    const turnedAway = asked.slice();
    expect(turnedAway.length).toBeGreaterThanOrEqual(3);
    for (const [i, at] of turnedAway.slice(1).entries())
      expect(at - (turnedAway[i] ?? 0)).toBeGreaterThanOrEqual(40_000);
    away = false;
    await create('y');
    await clock.runUntil(() => names().length === 2, { limit: 41_000 });
    await cache.synced();
    // Being busy says nothing of the version, so no watch leads to another list, nor a list to pages.
    const streamed = watches().filter(({ query }) => query?.sendInitialEvents).length;
    if (busy({ resourceVersion: '1' })) expect([streamed, lists().length]).toEqual([1, 0]);
    else if (!refuse) expect(lists()).toHaveLength(0);
  },
);

test('a streamed list that fails is begun anew, and no object is told twice', async () => {
  const { clock, server, cache, create, informer, watches, lists } = setUp((server) => {
    const watch = server.watch.bind(server);
    let tries = 0;
    server.watch = async (request) => {
      const stream = await watch(request);
      if (++tries > 2) return stream;
      return (async function* () {
        for await (const [first] of stream) {
          if (first) yield [first];
          throw new ConnectionError('reset');
        }
      })();
    };
  });
  await create('x');
  await create('y');
  const { events } = informer();
  const synced = cache.synced();
  await clock.runUntil(() => server.openWatches === 1, { limit: 60_000 });
  await synced;
  expect(events).toEqual(['added x (initial)', 'added y (initial)']);
  expect(watches().every(({ query }) => query?.sendInitialEvents === 'true')).toBe(true);
  expect(lists()).toHaveLength(0);
});

test('a page that fails is not the end: the list is begun anew after a pause', async () => {
  const { clock, server, cache, create, informer, lists } = setUp((server) => {
    server.refuseStreaming = true;
  });
  for (let i = 0; i < 600; i++) await create(`x${i}`);
  let failures = 2;
  server.fail = ({ query }) =>
    query?.continue && failures-- > 0 ? apiError(410, 'Expired', 'the continue token is too old') : undefined;
  const { names } = informer();
  const synced = cache.synced();
  await clock.runUntil(() => names().length === 600, { limit: 60_000 });
  await synced;
  expect(lists().map(({ query }) => query?.continue !== undefined)).toEqual([false, true, false, true, false, true]);
});

test('a watch whose time is up is followed by another from where it was, at once and without a list', async () => {
  const { clock, server, cache, create, informer, watches, lists } = setUp();
  const { names } = informer();
  await cache.synced();
  await create('x');
  await clock.advance(50_000);
  server.breakWatches();
  await clock.settle();
  expect(watches().map(({ query }) => query?.resourceVersion)).toEqual([undefined, '101']);
  await create('y');
  await clock.settle();
  expect(names()).toEqual(['x', 'y']);
  expect(lists()).toHaveLength(0);
});

test('a server that says 410 again and again is listed with growing pauses', async () => {
  const { clock, cache, informer, watches } = setUp((server) => {
    server.refuseStreaming = true;
    server.fail = (request, watch) => (watch && request.query?.resourceVersion ? expired('always too old') : undefined);
  });
  informer();
  await cache.synced();
  await clock.advance(300_000);
  expect(watches().length).toBeGreaterThan(10);
  expect(watches().length).toBeLessThan(60);
});

test.each([
  ['waits', (server: FakeServer) => void Object.assign(server, { fail: () => new ConnectionError('refused') })],
  ['opens a watch', (server: FakeServer) => void Object.assign(server, { watch: () => new Promise(() => {}) })],
  [
    'fetches a page',
    (server: FakeServer) => {
      server.refuseStreaming = true;
      server.send = () => new Promise(() => {});
    },
  ],
])('an informer that is stopped while it %s leaves no timer and asks no more', async (_, prepare) => {
  const { clock, server, cache, informer } = setUp(prepare);
  informer();
  await clock.advance(1_000);
  await cache.stop();
  const asked = server.requests.length;
  expect(clock.untilNext).toBeUndefined();
  await clock.advance(100_000);
  expect(server.requests.length).toBe(asked);
});
