import { once } from 'node:events';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { notFound, silentLogger, systemClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ApiRequest, ApiResponse, OutgoingEvent } from '../apiserver/types.ts';
import { createAuthority } from '../pki/index.ts';
import { kubeconfigFor } from './kubeconfig.ts';
import { ListenError } from './listen.ts';
import { type HttpsServer, startHttps } from './start-https.ts';

const authority = createAuthority({ clock: systemClock });
const admin = authority.issueClient({ name: 'admin', groups: ['system:masters', 'b'] });
const stranger = createAuthority({ clock: systemClock }).issueClient({ name: 'admin', groups: ['system:masters'] });
let server: HttpsServer;
let handle: (request: ApiRequest) => Promise<ApiResponse>;
const ok = (body: unknown): ApiResponse => ({ kind: 'object', code: 200, body });

const start = (port = 0) =>
  startHttps({
    port,
    handler: (request) => handle(request),
    authority,
    authenticate: (token) => (token === 'secret' ? { name: 'bot', groups: [] } : undefined),
    log: silentLogger,
    clock: systemClock,
  });

beforeAll(async () => {
  server = await start();
});
afterAll(() => server.close());
beforeEach(() => {
  handle = async ({ signal, ...request }) => ok(request);
});

interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly body: never;
}

function ask(
  path: string,
  options: RequestOptions & { body?: string | Buffer; to?: HttpsServer } = {},
): Promise<Answer> {
  const { body: sent, to = server, ...rest } = options;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      { host: '127.0.0.1', port: to.port, path, ca: authority.cert, agent: false, ...rest },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const type = response.headers['content-encoding'] ? '' : response.headers['content-type'];
          const single = type?.startsWith('application/json') && bytes.length > 0 && !path.includes('watch');
          const body = (single ? JSON.parse(bytes.toString()) : bytes.toString()) as never;
          resolve({ code: response.statusCode ?? 0, headers: response.headers, bytes, body });
        });
      },
    );
    request.on('error', reject);
    request.end(sent);
  });
}

test('users come from certificates, tokens, or are anonymous', async () => {
  const who = async (options: RequestOptions) => ((await ask('/x', options)).body as { user: object }).user;
  expect(await who(admin)).toEqual({ name: 'admin', groups: ['system:masters', 'b', 'system:authenticated'] });
  expect(await who({ headers: { authorization: 'Bearer secret' } })).toEqual({
    name: 'bot',
    groups: ['system:authenticated'],
  });
  expect(await who({})).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
  for (const options of [stranger, { headers: { authorization: 'Bearer wrong' } }]) {
    expect(await ask('/x', options)).toMatchObject({
      code: 401,
      body: { kind: 'Status', reason: 'Unauthorized', code: 401 },
    });
  }
});

test('a resumed TLS session is still the same user', async () => {
  const agent = new Agent({ keepAlive: false, maxCachedSessions: 10 });
  for (let i = 0; i < 3; i++) {
    const { body } = await ask('/x', { ...admin, agent });
    expect((body as { user: { name: string } }).user.name).toBe('admin');
  }
});

test('a request is handed over whole', async () => {
  const { body } = await ask('/api/v1/namespaces/a%2Fb/pods?dryRun=All&dryRun=x', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      'user-agent': 'me',
    },
    body: '{"a":1,"a":2}',
  });
  expect(body).toEqual({
    method: 'POST',
    path: '/api/v1/namespaces/a%2Fb/pods',
    query: { dryRun: 'All' },
    repeated: { dryRun: ['All', 'x'] },
    user: { name: 'system:anonymous', groups: ['system:unauthenticated'] },
    body: { a: 2 },
    duplicates: ['a'],
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
  const { headers, body } = await ask('/x', { headers: { 'audit-id': 'mine' } });
  expect(headers).toMatchObject({
    'audit-id': 'mine',
    'cache-control': 'no-cache, private',
    'content-type': 'application/json',
    'x-own': '1',
  });
  expect(Buffer.from(String(headers.warning), 'latin1').toString('utf8')).toBe('299 - "say \\"x\\"", 299 - "déjà vu"');
  expect(body).toEqual({ a: 1 });
  expect((await ask('/x')).headers['audit-id']).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test('YAML, pretty, text and HEAD', async () => {
  handle = async ({ path }) => (path === '/text' ? { kind: 'text', code: 200, body: 'ok' } : ok({ a: 1 }));
  expect(await ask('/x', { headers: { accept: 'application/yaml' } })).toMatchObject({
    body: 'a: 1\n',
    headers: { 'content-type': 'application/yaml' },
  });
  expect((await ask('/x?pretty=true')).bytes.toString()).toBe('{\n  "a": 1\n}\n');
  expect((await ask('/x', { headers: { 'user-agent': 'curl/8' } })).bytes.toString()).toContain('\n');
  expect((await ask('/x?pretty=false', { headers: { 'user-agent': 'curl/8' } })).bytes.toString()).toBe('{"a":1}');
  expect(await ask('/text')).toMatchObject({ body: 'ok', headers: { 'content-type': 'text/plain; charset=utf-8' } });
  expect(await ask('/x', { method: 'HEAD' })).toMatchObject({ code: 200, headers: { 'content-length': '7' } });
});

test('lists are joined from their items', async () => {
  const items = [1, 2, 3].map((n) => Object.freeze({ metadata: Object.freeze({ name: `ü${n}` }) }));
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items };
  handle = async ({ query }) => ok(query?.none ? { items: [] } : list);
  expect((await ask('/x')).body).toEqual(list);
  expect((await ask('/x?none=1')).bytes.toString()).toBe('{"items":[]}');
});

test('large answers are compressed for those who take it', async () => {
  handle = async () => ok({ text: 'x'.repeat(200_000) });
  const packed = await ask('/x', { headers: { 'accept-encoding': 'deflate, gzip;q=1.0' } });
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(packed.bytes)).toHaveLength(200_011);
  expect((await ask('/x', { headers: { 'accept-encoding': 'gzip;q=0' } })).headers['content-encoding']).toBeUndefined();
  handle = async () => ok({});
  expect((await ask('/x', { headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding']).toBeUndefined();
});

test('failures are Status objects', async () => {
  let called = 0;
  handle = async ({ path }) => {
    called++;
    if (path === '/gone') throw notFound({ group: '', plural: 'pods' }, 'a');
    throw new Error('a bug');
  };
  expect(await ask('/gone')).toMatchObject({
    code: 404,
    body: { kind: 'Status', reason: 'NotFound', message: 'pods "a" not found' },
  });
  expect(await ask('/bug')).toMatchObject({
    code: 500,
    body: { reason: 'InternalError', message: 'Internal error occurred: a bug' },
  });
  called = 0;
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  expect(await ask('/api/v1/pods', { ...post, body: '{' })).toMatchObject({
    code: 400,
    body: { reason: 'BadRequest' },
  });
  expect(await ask('/api/v1/pods', { ...post, body: 'x'.repeat(4 << 20) })).toMatchObject({
    code: 413,
    body: { reason: 'RequestEntityTooLarge' },
  });
  expect(await ask('/api/v1/pods', { headers: { accept: 'image/png' } })).toMatchObject({
    code: 406,
    body: { reason: 'NotAcceptable' },
  });
  expect(await ask('/api/v1/pods', { method: 'OPTIONS' })).toMatchObject({
    code: 405,
    body: { reason: 'MethodNotAllowed' },
  });
  expect(await ask('/api/v1/%zz')).toMatchObject({ code: 400 });
  expect(called).toBe(0);
});

test('Retry-After comes from the Status', async () => {
  handle = async () => ({
    kind: 'object',
    code: 429,
    body: { kind: 'Status', code: 429, details: { retryAfterSeconds: 3 } },
  });
  expect((await ask('/x')).headers['retry-after']).toBe('3');
});

/** A stream driven by the test. */
function newWatch() {
  const started = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const stream = {
    started: started.promise,
    cancelled: cancelled.promise,
    push: (_: readonly OutgoingEvent[]) => {},
    end: () => {},
    start(onEvents: (events: readonly OutgoingEvent[]) => void, onEnd: () => void) {
      stream.push = onEvents;
      stream.end = onEnd;
      started.resolve();
    },
    cancel: () => cancelled.resolve(),
  };
  handle = async () => ({ kind: 'watch', stream });
  return stream;
}
const event = (name: string, filler = ''): OutgoingEvent => ({
  type: 'ADDED',
  object: Object.freeze({ name, filler }),
});

test('a watch is lines of JSON, and ends cleanly', async () => {
  const stream = newWatch();
  const answer = ask('/api/v1/pods?watch=1');
  await stream.started;
  stream.push([event('a'), event('b')]);
  stream.push([{ type: 'BOOKMARK', object: { kind: 'Pod' } }]);
  stream.end();
  const { bytes, headers } = await answer;
  expect(bytes.toString()).toBe(
    '{"type":"ADDED","object":{"name":"a","filler":""}}\n{"type":"ADDED","object":{"name":"b","filler":""}}\n{"type":"BOOKMARK","object":{"kind":"Pod"}}\n',
  );
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
});

test('the head of a watch comes before its first event, and leaving cancels it', async () => {
  const stream = newWatch();
  const request = httpsRequest({
    host: '127.0.0.1',
    port: server.port,
    path: '/api/v1/pods?watch=true',
    ca: authority.cert,
    agent: false,
  });
  request.end();
  const [response] = await once(request, 'response');
  expect(response.statusCode).toBe(200);
  request.on('error', () => {});
  request.destroy();
  await stream.cancelled;
});

test('many large events all arrive; a reader that stands still is cut off', async () => {
  const filler = 'x'.repeat(100_000);
  const large = newWatch();
  const all = ask('/api/v1/pods?watch=1');
  await large.started;
  large.push(Array.from({ length: 100 }, (_, i) => event(`e${i}`, filler)));
  large.end();
  expect((await all).bytes.toString().split('\n')).toHaveLength(101);

  const slow = newWatch();
  const request = httpsRequest({
    host: '127.0.0.1',
    port: server.port,
    path: '/api/v1/pods?watch=1',
    ca: authority.cert,
    agent: false,
  });
  request.on('error', () => {});
  request.end();
  const [response] = await once(request, 'response');
  response.on('error', () => {});
  response.pause();
  let cut = false;
  void slow.cancelled.then(() => {
    cut = true;
  });
  for (let i = 0; i < 2000 && !cut; i++) {
    slow.push([event(`e${i}`, filler)]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(cut).toBe(true);
  request.destroy();
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
  expect(await tls(`GET / HTTP/1.1\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`, false)).toMatch(/^HTTP\/1\.1 431 /);
  await tls('POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a"', true);
  expect((await ask('/x')).code).toBe(200);
});

test('a port in use is said; closing ends watches, lets requests finish and frees the port', async () => {
  const other = await start();
  await expect(start(other.port)).rejects.toThrow(ListenError);
  await expect(start(other.port)).rejects.toThrow(
    /127\.0\.0\.1:\d+ is in use by another process: stop it, or choose another port/,
  );
  const stream = newWatch();
  const watch = ask('/api/v1/pods?watch=1', { to: other });
  await stream.started;
  stream.push([event('last')]);
  const { promise, resolve } = Promise.withResolvers<void>();
  handle = async () => {
    resolve();
    await Promise.resolve();
    return ok({});
  };
  const running = ask('/x', { to: other });
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
