import { expect, test } from 'vitest';
import { apiError, seededRandom, TimeoutError, VirtualClock } from '../core/index.ts';
import { FakeServer } from './fake-server.ts';
import { apply, ConnectionError, createClient, isTransient, json, merge } from './index.ts';
import { things } from './test-things.ts';

const key = { namespace: 'a', name: 'x' };

function setUp() {
  const clock = new VirtualClock();
  const server = new FakeServer();
  const client = createClient({
    transport: server,
    clock,
    random: seededRandom(1),
    fieldManager: 'me',
    userAgent: 'test/1',
  });
  const resource = client.of(things);
  const last = () => server.requests.at(-1);
  return { clock, server, client, resource, last };
}

test('create, get, update, delete', async () => {
  const { resource, last } = setUp();
  const made = await resource.create({ metadata: key, spec: 1 });
  expect(last()).toMatchObject({
    method: 'POST',
    path: '/apis/x.dev/v1/namespaces/a/things',
    query: { fieldManager: 'me' },
    userAgent: 'test/1',
    body: { apiVersion: 'x.dev/v1', kind: 'Thing', spec: 1 },
  });
  expect(await resource.get(key)).toMatchObject({ spec: 1 });
  await resource.update({ ...made, spec: 2 });
  await expect(resource.update({ ...made, spec: 3 })).rejects.toMatchObject({ code: 409, reason: 'Conflict' });
  expect(await resource.delete(key, { propagation: 'Foreground', gracePeriodSeconds: 0 })).toBeUndefined();
  expect(last()?.body).toMatchObject({ kind: 'DeleteOptions', propagationPolicy: 'Foreground', gracePeriodSeconds: 0 });
  expect(await resource.find(key)).toBeUndefined();
  await expect(resource.get(key)).rejects.toMatchObject({ reason: 'NotFound' });
});

test('a page where an object should be is none, and a failure is one whatever its code', async () => {
  const { server, resource } = setUp();
  const answer = (body: unknown) => {
    server.send = async () => ({ status: 200, warnings: [], body });
  };
  for (const page of ['<html>Log in</html>', '', null, []]) {
    answer(page);
    const what = 'things.x.dev a/x: what answered sent no object';
    await expect(resource.get(key)).rejects.toThrow(`get ${what}`);
    await expect(resource.find(key)).rejects.toThrow(ConnectionError);
    await expect(resource.delete(key)).rejects.toThrow(`delete ${what}`);
    await expect(resource.list()).rejects.toThrow('list things.x.dev: what answered sent no object');
    await expect(resource.create({ metadata: key })).rejects.toThrow(`create ${what}`);
  }
  answer({ kind: 'Status', status: 'Failure', message: 'no room', code: 507 });
  await expect(resource.delete(key)).rejects.toMatchObject({ code: 507, message: 'no room' });
});

test('a watch that begins with everything hands it on in parts, in order', async () => {
  const { server, resource } = setUp();
  for (let i = 0; i < 1_201; i++) await resource.create({ metadata: { namespace: 'a', name: `x${i}` } });
  server.autoDeliver = false;
  const abort = new AbortController();
  const sizes: number[] = [];
  const names: string[] = [];
  for await (const events of await resource.watch({ sendInitialEvents: true, signal: abort.signal })) {
    sizes.push(events.length);
    for (const { type, object } of events) if (type === 'ADDED') names.push(object.metadata.name);
    if (events.at(-1)?.type === 'BOOKMARK') abort.abort();
  }
  expect(sizes).toEqual([500, 500, 201, 1]);
  expect(names).toEqual(Array.from({ length: 1_201 }, (_, i) => `x${i}`));
});

test('a deleted object that something holds is answered', async () => {
  const { server, resource } = setUp();
  const answer = (metadata: object, spec: object = {}) => {
    server.send = async () => ({ status: 200, warnings: [], body: { kind: 'Thing', metadata, spec } });
  };
  answer({ ...key, deletionTimestamp: 't', finalizers: ['f'] });
  expect(await resource.delete(key)).toMatchObject({ metadata: { finalizers: ['f'] } });
  answer({ ...key, deletionTimestamp: 't', deletionGracePeriodSeconds: 30 });
  expect(await resource.delete(key)).toBeDefined();
  answer({ ...key, deletionTimestamp: 't' }, { finalizers: ['kubernetes'] });
  expect(await resource.delete(key)).toBeDefined();
  answer({ ...key, deletionTimestamp: 't', deletionGracePeriodSeconds: 0 });
  expect(await resource.delete(key)).toBeUndefined();
});

test.each([
  [merge({ a: 1 }), 'application/merge-patch+json'],
  [json([{ op: 'remove', path: '/a' }]), 'application/json-patch+json'],
  [apply({ a: 1 }), 'application/apply-patch+yaml'],
])('the kind of a patch decides its content type', async (patch, contentType) => {
  const { resource, last } = setUp();
  await resource.create({ metadata: key });
  await resource
    .patch(key, patch, { subresource: 'status', ...(patch.type === 'apply' ? { force: true } : {}) })
    .catch(() => {});
  expect(last()).toMatchObject({ method: 'PATCH', contentType, path: '/apis/x.dev/v1/namespaces/a/things/x/status' });
  if (patch.type === 'apply') expect(last()).toMatchObject({ body: { kind: 'Thing' }, query: { force: 'true' } });
});

test('listAll goes through all pages, and items know their kind', async () => {
  const { server, resource } = setUp();
  for (let i = 0; i < 5; i++) await resource.create({ metadata: { namespace: 'a', name: `x${i}` } });
  const names: string[] = [];
  for await (const { metadata } of resource.listAll({ namespace: 'a', limit: 2, resourceVersion: '0' }))
    names.push(metadata.name);
  expect(names).toEqual(['x0', 'x1', 'x2', 'x3', 'x4']);
  const pages = server.requests.filter(({ method }) => method === 'GET').map(({ query }) => query);
  expect(pages).toEqual([
    { limit: '2', resourceVersion: '0' },
    { limit: '2', continue: '2' },
    { limit: '2', continue: '4' },
  ]);
});

test('a namespaced object must say its namespace', async () => {
  const { resource } = setUp();
  await expect(resource.create({ metadata: { name: 'x' } })).rejects.toThrow(
    'cannot create things.x.dev "x": metadata.namespace is not set',
  );
  await expect(resource.get({ name: 'x' })).rejects.toThrow('metadata.namespace is not set');
  await expect(resource.get({ namespace: 'a', name: '' })).rejects.toThrow('needs a name');
});

test('what the server turned away is tried again: reads always, writes when it says when', async () => {
  const { clock, server, resource } = setUp();
  const failing = (times: number, error: unknown) => {
    server.fail = () => (times-- > 0 ? error : undefined);
  };
  failing(1, apiError(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 3 }));
  const start = clock.now();
  const made = resource.create({ metadata: key });
  await clock.runUntil(() => server.requests.length === 2);
  await made;
  expect(clock.now() - start).toBeGreaterThanOrEqual(3000);

  failing(1, apiError(503, 'ServiceUnavailable', 'starting'));
  await expect(resource.update({ metadata: key })).rejects.toMatchObject({ code: 503 });
  failing(2, new ConnectionError('reset'));
  const read = resource.get(key);
  await clock.advance(1_000);
  await read;
  failing(1, new ConnectionError('reset'));
  await expect(resource.update({ metadata: key })).rejects.toThrow(ConnectionError);
});

test('what cannot be tried again within the timeout fails at once, with the reason', async () => {
  const { server, resource } = setUp();
  server.fail = () => apiError(429, 'TooManyRequests', 'busy', { retryAfterSeconds: 60 });
  await expect(resource.get(key)).rejects.toMatchObject({ code: 429 });
});

test('a call without an answer is given up after its timeout, and its signal is aborted', async () => {
  const { clock, server, resource } = setUp();
  let signal: AbortSignal | undefined;
  server.send = (request) => {
    signal = request.signal;
    return new Promise(() => {});
  };
  const call = resource.get(key, { timeout: 5_000 });
  const failed = expect(call).rejects.toThrow('get things.x.dev a/x: no answer within 5s');
  await clock.advance(5_000);
  await failed;
  expect(signal?.reason).toBeInstanceOf(TimeoutError);
  expect(clock.untilNext).toBeUndefined();
});

test('aborting the caller ends a call and a watch with its reason', async () => {
  const { clock, server, resource } = setUp();
  const controller = new AbortController();
  const events = await resource.watch({ namespace: 'a', signal: controller.signal });
  const ended = (async () => {
    for await (const _ of events);
    return 'ended';
  })();
  server.send = () => new Promise(() => {});
  const failed = expect(resource.get(key, { signal: controller.signal })).rejects.toThrow('enough');
  controller.abort(new Error('enough'));
  await failed;
  expect(await ended).toBe('ended');
  expect(server.openWatches).toBe(0);
  expect(clock.untilNext).toBeUndefined();
});

test('which failures may pass by themselves', () => {
  expect(
    [
      new ConnectionError('x'),
      new TimeoutError('x'),
      apiError(429, '', ''),
      apiError(500, '', ''),
      apiError(503, '', ''),
      apiError(504, '', ''),
    ].every(isTransient),
  ).toBe(true);
  expect(
    [apiError(409, 'Conflict', ''), apiError(404, 'NotFound', ''), apiError(422, 'Invalid', ''), new Error('x')].some(
      isTransient,
    ),
  ).toBe(false);
});

test('warnings reach the caller', async () => {
  const server = new FakeServer();
  const warnings: string[] = [];
  const client = createClient({ transport: server, onWarning: (text) => warnings.push(text) });
  server.send = async () => ({ status: 200, body: {}, warnings: ['v1beta1 is deprecated'] });
  await client.raw({ method: 'GET', path: '/version' });
  expect(warnings).toEqual(['v1beta1 is deprecated']);
});

test('an option that nobody reads is refused, and so is a client without a transport', () => {
  const transport = new FakeServer();
  expect(() => createClient({ transport, feildManager: 'me' } as never)).toThrow(
    'createClient: unknown option `feildManager`; did you mean `fieldManager`?',
  );
  for (const nothing of [undefined, {}, { transport: 'https://there' }]) {
    expect(() => createClient(nothing as never)).toThrow('`transport` is what reaches the server');
  }
});
