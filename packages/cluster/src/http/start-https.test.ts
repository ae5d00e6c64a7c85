import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { notFound, systemClock } from '@coxswain/runtime/core';
import { createAuthority } from '@coxswain/runtime/pki';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { ApiRequest, ApiResponse } from '../apiserver/types.ts';
import { kubeconfigFor } from './kubeconfig.ts';
import { ListenError } from './listen.ts';
import type { HttpsServer } from './start-https.ts';
import { ask, authority, newWatch, startTestServer } from './test-server.ts';
import { unsentLimit } from './unsent.ts';

const admin = authority.issueClient({ name: 'admin', groups: ['system:masters', 'b'] });
const stranger = createAuthority({ clock: systemClock }).issueClient({ name: 'admin', groups: ['system:masters'] });
let server: HttpsServer;
let handle: (request: ApiRequest) => Promise<ApiResponse>;
const ok = (body: unknown): ApiResponse => ({ kind: 'object', code: 200, body });
const start = (port?: number) => startTestServer((request) => handle(request), port);
type Options = Partial<Parameters<typeof ask>[1]>;
const get = (path: string, options: Options = {}) => ask(path, { to: server, ...options });

beforeAll(async () => {
  server = await start();
});
afterAll(() => server.close());
beforeEach(() => {
  handle = async ({ signal, ...request }) => ok(request);
});

test('users come from certificates, tokens, or are anonymous', async () => {
  const who = async (options: Options) => ((await get('/x', options)).body as { user: object }).user;
  expect(await who(admin)).toEqual({ name: 'admin', groups: ['system:masters', 'b', 'system:authenticated'] });
  expect(await who({ headers: { authorization: 'Bearer secret' } })).toEqual({
    name: 'bot',
    groups: ['system:authenticated'],
  });
  expect(await who({})).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
  for (const options of [stranger, { headers: { authorization: 'Bearer wrong' } }]) {
    expect(await get('/x', options)).toMatchObject({
      code: 401,
      body: { kind: 'Status', reason: 'Unauthorized', code: 401 },
    });
  }
});

test('a resumed TLS session is still the same user', async () => {
  const agent = new Agent({ keepAlive: false, maxCachedSessions: 10 });
  for (let i = 0; i < 3; i++) {
    const { body } = await get('/x', { ...admin, agent });
    expect((body as { user: { name: string } }).user.name).toBe('admin');
  }
});

test('a request is handed over whole', async () => {
  const { body } = await get('/api/v1/namespaces/a%2Fb/pods?dryRun=All&dryRun=x', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      'user-agent': 'me',
    },
    body: '{"a":1,"a":2}',
  });
  expect(body).toMatchObject({
    method: 'POST',
    path: '/api/v1/namespaces/a%2Fb/pods',
    query: { dryRun: 'All' },
    repeated: { dryRun: ['All', 'x'] },
    user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    body: { a: 2 },
    duplicates: ['a'],
    text: { format: 'json' },
    contentType: 'application/json',
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    userAgent: 'me',
  });
});

test('answers carry the headers of the real server', async () => {
  handle = async () => ({
    kind: 'object',
    code: 200,
    body: { a: 1 },
    warnings: ['say "x"', 'déjà\nvu'],
    headers: { 'X-Own': '1' },
  });
  const { headers, body } = await get('/x', { headers: { 'audit-id': 'mine' } });
  expect(headers).toMatchObject({
    'audit-id': 'mine',
    'cache-control': 'no-cache, private',
    'content-type': 'application/json',
    'x-own': '1',
  });
  expect(Buffer.from(String(headers.warning), 'latin1').toString('utf8')).toBe('299 - "say \\"x\\"", 299 - "déjà vu"');
  expect(body).toEqual({ a: 1 });
  expect((await get('/x')).headers['audit-id']).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test('a client that has the body already is told so', async () => {
  handle = async () => ({ kind: 'object', code: 200, body: { a: 1 }, headers: { ETag: '"x"', Vary: 'Accept' } });
  for (const known of ['"x"', 'W/"x"', '"a", "x"', '*']) {
    const { code, headers, bytes } = await get('/apis', { headers: { 'if-none-match': known } });
    expect([code, headers.etag, headers.vary, bytes.length], known).toEqual([304, '"x"', 'Accept', 0]);
  }
  expect(await get('/apis', { headers: { 'if-none-match': '"y"' } })).toMatchObject({ code: 200, body: { a: 1 } });
});

test('YAML, pretty, text and HEAD', async () => {
  handle = async ({ path }) => (path === '/text' ? { kind: 'text', code: 200, body: 'ok' } : ok({ a: 1 }));
  expect(await get('/x', { headers: { accept: 'application/yaml' } })).toMatchObject({
    body: 'a: 1\n',
    headers: { 'content-type': 'application/yaml' },
  });
  expect((await get('/x?pretty=true')).bytes.toString()).toBe('{\n  "a": 1\n}');
  expect((await get('/x', { headers: { 'user-agent': 'curl/8' } })).bytes.toString()).toContain('\n');
  expect((await get('/x?pretty=false', { headers: { 'user-agent': 'curl/8' } })).bytes.toString()).toBe('{"a":1}\n');
  expect(await get('/text')).toMatchObject({ body: 'ok', headers: { 'content-type': 'text/plain; charset=utf-8' } });
  expect(await get('/x', { method: 'HEAD' })).toMatchObject({ code: 200, headers: { 'content-length': '8' } });
});

test('lists are joined from their items', async () => {
  const items = [1, 2, 3].map((n) => Object.freeze({ metadata: Object.freeze({ name: `ü${n}` }) }));
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items };
  handle = async ({ query }) => ok(query?.none ? { items: [] } : list);
  expect((await get('/x')).body).toEqual(list);
  expect((await get('/x?none=1')).bytes.toString()).toBe('{"items":[]}\n');
});

test('large answers are compressed for those who take it', async () => {
  handle = async () => ok({ text: 'x'.repeat(200_000) });
  const packed = await get('/x', { headers: { 'accept-encoding': 'deflate, gzip;q=1.0' } });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(packed.bytes)).toHaveLength(200_012);
  expect((await get('/x', { headers: { 'accept-encoding': 'gzip;q=0' } })).headers['content-encoding']).toBeUndefined();
  handle = async () => ok({});
  expect((await get('/x', { headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding']).toBeUndefined();
});

test('failures are Status objects', async () => {
  let called = 0;
  handle = async ({ path }) => {
    called++;
    if (path === '/gone') throw notFound({ group: '', plural: 'pods' }, 'a');
    throw new Error('a bug');
  };
  expect(await get('/gone')).toMatchObject({
    code: 404,
    body: { kind: 'Status', reason: 'NotFound', message: 'pods "a" not found' },
  });
  expect(await get('/bug')).toMatchObject({
    code: 500,
    body: { reason: 'InternalError', message: 'Internal error occurred: a bug' },
  });
  called = 0;
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  expect(await get('/api/v1/pods', { ...post, body: 'x'.repeat(4 << 20) })).toMatchObject({
    code: 413,
    body: { reason: 'RequestEntityTooLarge' },
  });
  expect(await get('/api/v1/pods', { headers: { accept: 'image/png' } })).toMatchObject({
    code: 406,
    body: { reason: 'NotAcceptable' },
  });
  expect(await get('/api/v1/pods', { method: 'OPTIONS' })).toMatchObject({
    code: 405,
    body: { reason: 'MethodNotAllowed' },
  });
  expect(await get('/api/v1/%zz')).toMatchObject({ code: 400 });
  expect(called).toBe(0);
});

test('Retry-After comes from the Status', async () => {
  handle = async () => ({
    kind: 'object',
    code: 429,
    body: { kind: 'Status', code: 429, details: { retryAfterSeconds: 3 } },
  });
  expect((await get('/x')).headers['retry-after']).toBe('3');
});

test('a whole URL in the request line means the path', async () => {
  for (const [url, path] of [
    ['https://somewhere:1/api/v1/pods?limit=1', '/api/v1/pods'],
    ['HTTP://somewhere?a=b', '/'],
    ['https://somewhere', '/'],
  ] as const) {
    expect((await get(url)).body).toMatchObject({ path });
  }
});

test('repeated parameters as many as a line can hold', async () => {
  const { body } = await get(`/x?${'a=b&'.repeat(100_000)}`);
  expect((body as { repeated: { a: unknown[] } }).repeated.a).toHaveLength(100_000);
});

test('who asks for more than it reads is cut off', async () => {
  const text = 'x'.repeat(8 * 1024 * 1024);
  let made = 0;
  handle = async () => {
    made++;
    return ok({ text });
  };
  const socket = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.cert });
  socket.on('error', () => {});
  socket.pause();
  socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
  await vi.waitFor(() => expect(made).toBeGreaterThan(unsentLimit / text.length), { timeout: 10_000 });
  socket.resume();
  await once(socket, 'close');
  handle = async () => ok({});
  expect((await get('/x')).code).toBe(200);
});

test('garbage, plain HTTP, resets and half requests do no harm', async () => {
  const raw = (bytes: string) =>
    new Promise<void>((resolve) => {
      const socket = connectTcp(server.port, '127.0.0.1', () => socket.write(bytes));
      socket.on('error', () => {});
      socket.on('data', () => {});
      socket.on('close', () => resolve());
    });
  await raw('GET / HTTP/1.1\r\n\r\n');
  await raw('\x16\x03\x01\x00\x05rubbish and more rubbish');
  const tls = (bytes: string, reset: boolean) =>
    new Promise<string>((resolve) => {
      let text = '';
      const socket = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.cert }, () => {
        socket.write(bytes);
        if (reset) socket.destroy();
      });
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(text));
    });
  expect(await tls('NONSENSE\r\n\r\n', false)).toMatch(/^HTTP\/1\.1 400 Bad Request/);
  expect(await tls(`GET / HTTP/1.1\r\nX: ${'y'.repeat(1_200_000)}\r\n\r\n`, false)).toMatch(/^HTTP\/1\.1 431 /);
  await tls('POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a"', true);
  expect((await get('/x')).code).toBe(200);
});

test('a port in use is said; closing ends watches, lets requests finish and frees the port', async () => {
  const other = await start();
  await expect(start(other.port)).rejects.toThrow(ListenError);
  await expect(start(other.port)).rejects.toThrow(
    /127\.0\.0\.1:\d+ is in use by another process: stop it, or choose another port/,
  );
  const stream = newWatch();
  handle = async () => ({ kind: 'watch', stream });
  const watch = get('/api/v1/pods?watch=1', { to: other });
  await stream.started;
  stream.push([{ type: 'ADDED', object: { name: 'last' } }]);
  const { promise, resolve } = Promise.withResolvers<void>();
  handle = async () => {
    resolve();
    await Promise.resolve();
    return ok({});
  };
  const running = get('/x', { to: other });
  await promise;
  const closed = other.close();
  expect((await watch).bytes.toString()).toContain('"last"');
  expect((await running).code).toBe(200);
  await closed;
  await (await start(other.port)).close();
});

test('a kubeconfig has all a client needs', () => {
  const text = kubeconfigFor({ url: 'https://127.0.0.1:1', ca: 'CA', cert: 'CERT', key: 'KEY', name: 'a: b' });
  expect(parse(text)).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a: b', cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': 'Q0E=' } }],
    users: [{ name: 'a: b', user: { 'client-certificate-data': 'Q0VSVA==', 'client-key-data': 'S0VZ' } }],
    contexts: [{ name: 'a: b', context: { cluster: 'a: b', user: 'a: b' } }],
    'current-context': 'a: b',
  });
});
