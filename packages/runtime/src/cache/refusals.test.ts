import type { DynamicObject, Kind } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { FakeServer } from '../client/fake-server.ts';
import { ConnectionError, createClient } from '../client/index.ts';
import { apiError, type Logger, notFound, seededRandom, silentLogger, VirtualClock } from '../core/index.ts';
import { createCache } from './cache.ts';
import type { InformerScope } from './types.ts';

const Widget: Kind<DynamicObject> = {
  group: 'test.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
};

function setUp(failure: (watch: boolean, path: string) => Error | undefined, kind = Widget, scope: InformerScope = {}) {
  const clock = new VirtualClock(1_000_000_000);
  const server = new FakeServer();
  server.fail = ({ path }, watch) => failure(watch, path);
  const lines: { readonly at: number; readonly fields: object; readonly message: string }[] = [];
  const write = (fields: object, message: string) =>
    void lines.push({ at: clock.now() - 1_000_000_000, fields, message });
  const log: Logger = { ...silentLogger, child: () => log, warn: write, info: write };
  const cache = createCache({
    client: createClient({ transport: server, clock, random: seededRandom(1) }),
    clock,
    random: seededRandom(2),
    log,
  });
  const informer = cache.informer(kind, scope);
  return { clock, server, cache, informer, lines };
}

const page = () => apiError(404, 'NotFound', 'HTTP 404: 404 page not found');
const denied = (verb: string) => () =>
  apiError(
    403,
    'Forbidden',
    `widgets.test.dev is forbidden: User "system:serviceaccount:ops:op" cannot ${verb} resource "widgets" in API group "test.dev" at the cluster scope`,
  );

test('a kind that is not served is told once, with what to do, and then at growing intervals', async () => {
  let installed = false;
  const t = setUp(() => (installed ? undefined : page()));
  await t.clock.advance(24 * 3_600_000);
  expect(new Set(t.lines.map(({ message }) => message))).toEqual(
    new Set([
      'the server does not serve widgets of test.dev/v1: install the CRD widgets.test.dev; it is tried again until then',
    ]),
  );
  expect(t.lines[0]).toMatchObject({ at: 0, fields: { code: 404 } });
  expect(JSON.stringify(t.lines)).not.toContain('stack');
  const gaps = t.lines.slice(1).map(({ at }, i) => at - (t.lines[i]?.at ?? 0));
  expect(gaps[0]).toBeGreaterThanOrEqual(60_000);
  expect(gaps[1]).toBeGreaterThanOrEqual(120_000);
  expect(gaps.at(-1)).toBeGreaterThanOrEqual(3_600_000);
  expect(gaps.at(-1)).toBeLessThan(3_700_000);
  const before = t.lines.length;
  installed = true;
  await t.clock.advance(31_000);
  await t.informer.synced;
  expect(t.lines.slice(before).map(({ message }) => message)).toEqual(['widgets of test.dev/v1 can be read now']);
  await t.cache.stop();
});

test('a kind of Kubernetes itself has no CRD to install', async () => {
  const t = setUp(() => notFound({ group: '', plural: '' }, ''), { ...Widget, group: 'resource.k8s.io' });
  await t.clock.advance(1_000);
  expect(t.lines.map(({ message }) => message)).toEqual([
    'the server does not serve widgets of resource.k8s.io/v1: it needs an API server that has this API and version turned on; it is tried again until then',
  ]);
  await t.cache.stop();
});

test.each([
  [{}, 'its ClusterRole lacks the verb "watch" on widgets in the API group "test.dev" (it needs list and watch)'],
  [
    { namespace: 'a' },
    'its Role in namespace a, or its ClusterRole, lacks the verb "watch" on widgets in the API group "test.dev" (it needs list and watch)',
  ],
])('a kind that may not be watched is told with what its role lacks: %j', async (scope, lacks) => {
  const t = setUp(denied('watch'), Widget, scope);
  await t.clock.advance(50_000);
  expect(t.lines).toHaveLength(1);
  expect(t.lines[0]?.message).toBe(`widgets of test.dev/v1 may not be read: ${lacks}; it is tried again until then`);
  expect(t.lines[0]?.fields).toMatchObject({
    code: 403,
    said: expect.stringContaining('User "system:serviceaccount:ops:op" cannot watch'),
  });
  await t.cache.stop();
});

const away = 'the API server is out of reach; what is known of it may be old until it answers';
const again = 'the API server answers again';

test('a server out of reach is told once for all kinds, then at growing intervals, and when it is there again', async () => {
  let error: Error | undefined = new ConnectionError('GET https://api:6443/apis: connect ECONNREFUSED');
  const t = setUp(() => error);
  for (let i = 0; i < 20; i++) t.cache.informer({ ...Widget, kind: `Kind${i}`, plural: `kind${i}s` });
  await t.clock.advance(50_000);
  expect(t.lines.map(({ message }) => message)).toEqual([away]);
  expect(t.lines[0]?.fields).toEqual({ said: 'GET https://api:6443/apis: connect ECONNREFUSED' });
  await t.clock.advance(40_000);
  expect(t.lines).toHaveLength(2);
  error = undefined;
  await t.clock.advance(60_000);
  expect(t.lines.slice(2).map(({ message }) => message)).toEqual([again]);
  await t.cache.stop();
});

test('so is one that goes away while all is being watched, how often it may come and go', async () => {
  let error: Error | undefined;
  const t = setUp(() => error);
  for (let i = 0; i < 20; i++) t.cache.informer({ ...Widget, kind: `Kind${i}`, plural: `kind${i}s` });
  await t.cache.synced();
  const goes = async (ms: number) => {
    error = new ConnectionError('GET https://api:6443/apis: connect ECONNREFUSED');
    t.server.breakWatches(new ConnectionError('closed'));
    await t.clock.advance(ms);
    error = undefined;
  };
  await goes(600_000);
  expect(t.lines.map(({ message }) => message)).toEqual(Array(4).fill(away));
  const gaps = t.lines.slice(1).map(({ at }, i) => Math.floor((at - (t.lines[i]?.at ?? 0)) / 60_000));
  expect(gaps).toEqual([1, 2, 4]);
  expect(JSON.stringify(t.lines)).not.toContain('stack');
  await t.clock.advance(40_000);
  expect(t.lines.slice(4)).toMatchObject([{ message: again, fields: { outageMs: expect.any(Number) } }]);
  const before = t.lines.length;
  for (let i = 0; i < 2; i++) {
    await goes(1_000);
    await t.clock.advance(10_000);
  }
  expect(t.lines.slice(before)).toEqual([]);
  for (let i = 0; i < 20; i++) {
    t.server.bookmark();
    await t.clock.advance(30_000);
    if (i % 7 === 6) t.server.breakWatches();
  }
  await goes(5_000);
  await t.clock.advance(5_000);
  expect(t.lines.slice(before).map(({ message }) => message)).toEqual([away, again]);
  await t.cache.stop();
});

test('a watch that breaks while the server is there is worth no line, one of a kind that goes on failing is', async () => {
  let failing = false;
  const t = setUp((_watch, path) =>
    failing && path.endsWith('/widgets') ? new ConnectionError('the watch sent a line that is not JSON') : undefined,
  );
  t.cache.informer({ ...Widget, kind: 'Other', plural: 'others' });
  await t.cache.synced();
  t.server.breakWatches(new ConnectionError('closed'));
  await t.clock.advance(10_000);
  expect(t.lines).toEqual([]);
  failing = true;
  t.server.bookmark();
  t.server.breakWatches(new ConnectionError('closed'));
  for (let i = 0; i < 400; i++) {
    t.server.bookmark();
    await t.clock.advance(100);
  }
  expect(t.lines).toMatchObject([
    { message: 'the watch failed; trying again', fields: { said: 'the watch sent a line that is not JSON' } },
  ]);
  await t.cache.stop();
});

test('another refusal is told at once, and other failures as ever', async () => {
  let error = denied('watch')();
  const t = setUp(() => error);
  await t.clock.advance(5_000);
  error = page();
  await t.clock.advance(31_000);
  error = apiError(500, 'InternalError', 'etcd is away');
  await t.clock.advance(31_000);
  const told = t.lines.map(({ message }) => message.split(':')[0]);
  expect(told.slice(0, 3)).toEqual([
    'widgets of test.dev/v1 may not be read',
    'the server does not serve widgets of test.dev/v1',
    'out of step with the server; listing again',
  ]);
  await t.cache.stop();
});

test('a kind that may be listed but not watched is told no more often, and is not called readable', async () => {
  const t = setUp((watch) => (watch ? denied('watch')() : undefined));
  await t.clock.advance(50_000);
  expect(t.lines.map(({ message }) => message)).toEqual([expect.stringContaining('lacks the verb "watch"')]);
  await t.cache.stop();
});
