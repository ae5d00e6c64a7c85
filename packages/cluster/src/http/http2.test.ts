import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { ConnectionError } from '@coxswain/runtime/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ApiRequest, ApiResponse, OutgoingEvent } from '../apiserver/types.ts';
import type { HttpsServer } from './start-https.ts';
import { ask as askHttp1, authority, newWatch, startTestServer, type TestWatch } from './test-server.ts';

const admin = authority.issueClient({ name: 'admin', groups: ['system:masters'] });
let server: HttpsServer;
let handle: (request: ApiRequest) => Promise<ApiResponse>;
const open: ClientHttp2Session[] = [];

beforeAll(async () => {
  server = await startTestServer((request) => handle(request));
});
afterAll(() => server.close());
beforeEach(() => {
  handle = async ({ signal, ...request }) => ({ kind: 'object', code: 200, body: request });
});
afterEach(() => {
  for (const session of open.splice(0)) session.destroy();
});

function session(to = server): ClientHttp2Session {
  const client = connect(`https://127.0.0.1:${to.port}`, { ca: authority.cert, ...admin, maxSessionMemory: 1000 });
  client.on('error', () => {});
  client.once('connect', () => client.setLocalWindowSize(2 ** 30));
  open.push(client);
  return client;
}

interface Answer {
  readonly headers: IncomingHttpHeaders & { readonly ':status'?: number };
  readonly text: string;
}

async function ask(
  client: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<Answer> {
  const stream = client.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [answered] = (await once(stream, 'response')) as [Answer['headers']];
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { headers: answered, text: Buffer.concat(chunks).toString() };
}

/** Opens a watch; resolves with its stream when the answer has begun. */
async function watch(client: ClientHttp2Session, path = '/api/v1/pods?watch=1'): Promise<ClientHttp2Stream> {
  const stream = client.request({ ':path': path });
  stream.on('error', () => {});
  await once(stream, 'response');
  return stream;
}

function firstLine(stream: ClientHttp2Stream): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.endsWith('\n')) resolve(text);
    });
  });
}

const event = (name: string, size = 0): OutgoingEvent => ({
  type: 'ADDED',
  object: Object.freeze({ name, text: 'x'.repeat(size) }),
});

test('requests are handed over and answered as over HTTP/1.1', async () => {
  const client = session();
  const { headers, text } = await ask(
    client,
    {
      ':path': '/api/v1/pods?dryRun=All&dryRun=x',
      ':method': 'POST',
      'content-type': 'application/json',
      'user-agent': 'me',
      'impersonate-user': 'you',
      'audit-id': 'mine',
    },
    '{"a":1}',
  );
  expect(JSON.parse(text)).toMatchObject({
    method: 'POST',
    path: '/api/v1/pods',
    query: { dryRun: 'All' },
    repeated: { dryRun: ['All', 'x'] },
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    impersonate: { user: 'you' },
    body: { a: 1 },
    contentType: 'application/json',
    userAgent: 'me',
  });
  expect(headers).toMatchObject({
    ':status': 200,
    'audit-id': 'mine',
    'cache-control': 'no-cache, private',
    'content-type': 'application/json',
  });
  expect((await ask(client, { ':path': '/x', ':method': 'OPTIONS' })).headers[':status']).toBe(405);
  const head = await ask(client, { ':path': '/x', ':method': 'HEAD' });
  expect([head.headers[':status'], Number(head.headers['content-length']) > 0, head.text]).toEqual([200, true, '']);
});

test('warnings, tags, large bodies both ways', async () => {
  const client = session();
  handle = async () => ({ kind: 'object', code: 200, body: {}, warnings: ['déjà', 'b'], headers: { ETag: '"x"' } });
  const { headers } = await ask(client, { ':path': '/x' });
  expect(Buffer.from(String(headers.warning), 'latin1').toString()).toBe('299 - "déjà", 299 - "b"');
  expect((await ask(client, { ':path': '/x', 'if-none-match': '"x"' })).headers[':status']).toBe(304);
  handle = async ({ body }) => ({ kind: 'object', code: 200, body });
  const json = { ':path': '/x', ':method': 'POST', 'content-type': 'application/json' };
  const large = JSON.stringify({ text: 'é'.repeat(1_000_000) });
  expect((await ask(client, json, large)).text).toBe(`${large}\n`);
  const refused = await ask(client, json, Buffer.alloc(4 * 1024 * 1024, ' '));
  expect(refused.headers[':status']).toBe(413);
  expect((await ask(client, { ...json, expect: '100-continue' }, '{}')).text).toBe('{}\n');
});

test('a thousand watches share a connection', async () => {
  const watches: TestWatch[] = [];
  handle = async ({ path }) => {
    if (path === '/y') return { kind: 'text', code: 200, body: 'ok' };
    const stream = newWatch();
    watches.push(stream);
    return { kind: 'watch', stream };
  };
  const client = session();
  const streams = await Promise.all(Array.from({ length: 1000 }, () => watch(client)));
  const lines = streams.map((stream) => firstLine(stream));
  const one = [event('a')];
  for (const { push } of watches) push(one);
  expect(new Set(await Promise.all(lines))).toEqual(new Set(['{"type":"ADDED","object":{"name":"a","text":""}}\n']));
  expect((await ask(client, { ':path': '/y' })).headers[':status']).toBe(200);
});

test('ending many watches at once leaves the others of the connection alone', async () => {
  handle = async () => ({ kind: 'watch', stream: newWatch() });
  const client = session();
  const kept = newWatch();
  const many = await Promise.all(Array.from({ length: 1500 }, () => watch(client)));
  handle = async () => ({ kind: 'watch', stream: kept });
  const lines = firstLine(await watch(client));
  for (const stream of many) stream.close(constants.NGHTTP2_CANCEL);
  await Promise.all(many.map((stream) => stream.closed || once(stream, 'close')));
  handle = async () => ({ kind: 'object', code: 200, body: {} });
  expect((await ask(client, { ':path': '/api/v1/pods' })).headers[':status']).toBe(200);
  kept.push([event('late')]);
  expect(await lines).toContain('late');
});

test('a watcher that stands still is cut off, and nobody else feels it', async () => {
  const watches = new Map<string, TestWatch>();
  handle = async ({ path }) => {
    const stream = newWatch();
    watches.set(path, stream);
    return { kind: 'watch', stream };
  };
  const client = session();
  const slow = await watch(client, '/slow?watch=1');
  const quick = await watch(client, '/quick?watch=1');
  slow.pause();
  const closed = once(slow, 'close');
  let seen = 0;
  const texts: string[] = [];
  quick.setEncoding('utf8').on('data', (text: string) => texts.push(text));
  while (!slow.closed && seen < 100) {
    watches.get('/slow')?.push([event('big', 1024 * 1024)]);
    watches.get('/quick')?.push([event(`n${seen++}`)]);
    await new Promise((resolve) => setImmediate(resolve));
    if (seen > 40)
      await Promise.race([watches.get('/slow')?.cancelled, new Promise((resolve) => setImmediate(resolve))]);
  }
  slow.resume();
  await watches.get('/slow')?.cancelled;
  await closed;
  watches.get('/quick')?.push([event('last')]);
  while (!texts.join('').includes('"last"')) await once(quick, 'data');
  expect(texts.join('').trim().split('\n')).toHaveLength(seen + 1);
});

test('a broken request breaks only itself', async () => {
  handle = async ({ path, signal }) => {
    if (path === '/reset') throw new ConnectionError('broken');
    if (path !== '/wait') return { kind: 'text', code: 200, body: 'ok' };
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    gone();
    return { kind: 'text', code: 200, body: 'late' };
  };
  let gone = () => {};
  const left = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const client = session();
  await expect(ask(client, { ':path': '/reset' })).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');
  const waiting = client.request({ ':path': '/wait' });
  waiting.on('error', () => {});
  expect((await ask(client, { ':path': '/x' })).text).toBe('ok');
  waiting.close();
  await left;
  expect((await ask(client, { ':path': '/x' })).text).toBe('ok');
});

test('heads have the same limit as over HTTP/1.1', async () => {
  const client = session();
  await once(client, 'remoteSettings');
  // As the real server announces it.
  expect(client.remoteSettings).toMatchObject({ maxHeaderListSize: 1024 * 1024 + 320, initialWindowSize: 256 * 1024 });
  const many = (count: number, size: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'x'.repeat(size)]));
  expect((await ask(client, { ':path': '/x', ...many(2000, 10) })).headers[':status']).toBe(200);
  expect((await ask(client, { ':path': '/x', ...many(1, 60_000) })).headers[':status']).toBe(200);
  // Node's client cuts heads into more frames than are taken; Go's does not.
  const broken = ask(client, { ':path': '/x', ...many(30, 40_000) }).catch((error: Error) => error);
  expect(await broken).toBeInstanceOf(Error);
  expect((await ask(session(), { ':path': '/x' })).headers[':status']).toBe(200);
  const overHttp1 = (size: number) =>
    askHttp1('/x', { to: server, headers: many(Math.floor(size / 50_000), 50_000) }).then(({ code }) => code);
  expect([await overHttp1(1_000_000), await overHttp1(1_100_000)]).toEqual([200, 431]);
});

test('a body has its limit, and the connection outlives it', async () => {
  handle = async ({ body }) => ({ kind: 'object', code: 200, body: { length: JSON.stringify(body).length } });
  const client = session();
  const post = { ':path': '/x', ':method': 'POST', 'content-type': 'application/json' };
  const limit = 3 * 1024 * 1024;
  const json = (size: number) => `"${'x'.repeat(size - 2)}"`;
  expect(await ask(client, post, json(limit))).toMatchObject({
    headers: { ':status': 200 },
    text: `${JSON.stringify({ length: limit })}\n`,
  });
  for (let round = 0; round < 3; round++) {
    const { headers, text } = await ask(client, post, json(limit + 1));
    expect([headers[':status'], JSON.parse(text)]).toMatchObject([413, { reason: 'RequestEntityTooLarge' }]);
  }
  expect((await ask(client, post, '1')).headers[':status']).toBe(200);
});

test('pings are answered, while requests are waited for, too', async () => {
  handle = async () => ({ kind: 'watch', stream: newWatch() });
  const client = session();
  await watch(client);
  const payload = Buffer.from('8 bytes!');
  const echoed = await new Promise((resolve, reject) =>
    client.ping(payload, (error, _duration, answer) => (error ? reject(error) : resolve(answer))),
  );
  expect(echoed).toEqual(payload);
});

test('a server that closes says goodbye: watches end, running requests are answered', async () => {
  const closing = await startTestServer((request) => handle(request));
  const stream = newWatch();
  let release = () => {};
  handle = async ({ path }) => {
    if (path !== '/slow') return { kind: 'watch', stream };
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return { kind: 'text', code: 200, body: 'done' };
  };
  const client = session(closing);
  const watched = await watch(client);
  let text = '';
  watched.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const slow = ask(client, { ':path': '/slow' });
  while (release.name === 'release') await new Promise((resolve) => setImmediate(resolve));
  stream.push([event('a')]);
  const goodbye = once(client, 'goaway');
  const closed = closing.close();
  await goodbye;
  release();
  expect((await slow).text).toBe('done');
  await closed;
  expect(text).toContain('"a"');
  expect(watched.rstCode).toBe(0);
});
