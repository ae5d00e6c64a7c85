import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiError, VirtualClock } from '../core/index.ts';
import type { Connection, CredentialSource } from './connection.ts';
import { fileCredentials, mergedCredentials, staticCredentials } from './credentials.ts';
import { ConnectionError } from './errors.ts';
import { httpTransport } from './http-transport.ts';
import type { Transport, WatchEvent } from './transport.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function fixture(name: string): Promise<string> {
  return readFile(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
}

async function listen(server: Server): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

interface Given {
  readonly credentials?: CredentialSource;
  readonly prefix?: string;
  readonly watchIdle?: number;
}

async function plain(
  handle: RequestListener,
  { credentials = staticCredentials({}), prefix = '', watchIdle }: Given = {},
) {
  const { port, sockets } = await listen(createPlainServer(handle));
  const connection: Connection = { server: `http://127.0.0.1:${port}${prefix}`, credentials, namespace: 'default' };
  return { transport: open(connection, watchIdle), sockets };
}

function open(connection: Connection, watchIdle?: number): Transport {
  const transport = httpTransport(connection, watchIdle === undefined ? {} : { watchIdle });
  closers.push(() => transport.close());
  return transport;
}

function answer(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string | string[]> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function all(stream: AsyncIterable<readonly WatchEvent[]>): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const batch of stream) events.push(...batch);
  return events;
}

test('a request: path, query, headers, body; an answer: status, body, warnings', async () => {
  let seen: IncomingMessage | undefined;
  let body = '';
  const { transport } = await plain(
    async (request, response) => {
      seen = request;
      for await (const chunk of request) body += chunk;
      answer(response, 201, { ok: true }, { warning: ['299 - "old \\"one\\"", 299 - "two"'] });
    },
    { prefix: '/k8s/clusters/c1/', credentials: staticCredentials({ token: 'secret' }) },
  );
  const response = await transport.send({
    method: 'PATCH',
    path: '/api/v1/pods/x',
    query: { fieldManager: 'a b&c' },
    contentType: 'application/merge-patch+json',
    userAgent: 'me/1',
    body: { a: 'ü' },
  });
  expect(response).toEqual({ status: 201, body: { ok: true }, warnings: ['old "one"', 'two'] });
  expect(seen?.url).toBe('/k8s/clusters/c1/api/v1/pods/x?fieldManager=a+b%26c');
  expect(seen?.headers).toMatchObject({
    authorization: 'Bearer secret',
    'content-type': 'application/merge-patch+json',
    'user-agent': 'me/1',
    accept: 'application/json',
  });
  expect(body).toBe('{"a":"ü"}');
});

test('gzip, text, and integers beyond what a float holds', async () => {
  const { transport } = await plain((request, response) => {
    if (request.url === '/healthz') response.end('ok');
    else {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync('{"big":9007199254740993,"small":12,"float":1234567890123456.5}'));
    }
  });
  expect((await transport.send({ method: 'GET', path: '/healthz' })).body).toBe('ok');
  const { body } = await transport.send({ method: 'GET', path: '/x' });
  expect(body).toEqual({ big: 9007199254740993n, small: 12, float: 1234567890123456.5 });
});

test('refusals: a Status, a Retry-After header, a proxy that says nothing useful', async () => {
  const { transport } = await plain((request, response) => {
    if (request.url === '/status') {
      answer(response, 404, {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'NotFound',
        message: 'pods "x" not found',
        code: 404,
      });
    } else if (request.url === '/busy')
      answer(response, 429, { kind: 'Status', message: 'busy' }, { 'retry-after': '7' });
    else {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<h1>Bad gateway</h1>');
    }
  });
  const get = (path: string) => transport.send({ method: 'GET', path });
  await expect(get('/status')).rejects.toMatchObject({ code: 404, reason: 'NotFound', message: 'pods "x" not found' });
  await expect(get('/busy')).rejects.toMatchObject({ code: 429, retryAfter: 7000 });
  await expect(get('/other')).rejects.toMatchObject({ code: 502, message: 'HTTP 502: <h1>Bad gateway</h1>' });
});

test('neither a redirection nor any other status that is no success passes for one', async () => {
  const location = 'https://user:word@login.example.com/in?token=hidden#hidden';
  const { transport } = await plain(({ url = '' }, response) => {
    const code = Number(/\d+/.exec(url)?.[0]);
    response.writeHead(code, { location, 'content-type': 'text/html' }).end(code === 204 ? undefined : 'page');
  });
  const send = (code: number) => transport.send({ method: 'GET', path: `/${code}` });
  const where = (code: number) =>
    `${Number(code)}: redirected to https://login.example.com/in, which is not followed; `;
  for (const code of [300, 301, 302, 303, 307, 308]) {
    const error = await send(code).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(where(code)) });
    expect(String(error)).not.toMatch(/word|hidden/);
    for (const open of [transport.watch, transport.list]) {
      await expect(open?.call(transport, { method: 'GET', path: `/${code}` })).rejects.toMatchObject({ code });
    }
  }
  await expect(send(304)).rejects.toMatchObject({ code: 304 });
  await expect(send(204)).resolves.toMatchObject({ status: 204, body: '' });
  await expect(transport.watch({ method: 'GET', path: '/204' })).rejects.toMatchObject({ code: 204 });
  await expect(transport.watch({ method: 'GET', path: '/200' })).rejects.toThrow('sent text/html, not JSON');
});

test('no more calls are under way than connections are allowed; the others wait in line', async () => {
  const waiting: ServerResponse[] = [];
  // Answers come in pairs, so that two calls must be under way at a time.
  const { port, sockets } = await listen(
    createPlainServer((_request, response) => {
      if (waiting.push(response) === 2) for (const one of waiting.splice(0)) answer(one, 200, {});
    }),
  );
  const server = `http://127.0.0.1:${port}`;
  const connection: Connection = { server, credentials: staticCredentials({}), namespace: 'default' };
  const transport = httpTransport(connection, { maxConnections: 2 });
  closers.push(() => transport.close());
  await Promise.all(Array.from({ length: 20 }, () => transport.send({ method: 'GET', path: '/x' })));
  expect(sockets.size).toBe(2);
  expect(() => httpTransport(connection, { maxConnections: 0 })).toThrow('option "maxConnections" is 0');
});

test('calls share their connections, and a watch has its own', async () => {
  const { transport, sockets } = await plain((request, response) => {
    if (request.url?.includes('watch')) response.write('\n');
    else answer(response, 200, {});
  });
  const controller = new AbortController();
  await transport.watch({ method: 'GET', path: '/x', query: { watch: 'true' }, signal: controller.signal });
  for (let i = 0; i < 20; i++) await transport.send({ method: 'GET', path: '/x' });
  // One is not yet free again when the next call starts right behind an answer.
  expect(sockets.size).toBeLessThanOrEqual(3);
  controller.abort();
});

test('a watch: lines cut anywhere, several in one chunk, ending with the server', async () => {
  const event = (name: string) => JSON.stringify({ type: 'ADDED', object: { metadata: { name } } });
  const bytes = Buffer.from(`${event('ä')}\n${event('b')}\n\n${event('c')}\n`);
  const { transport } = await plain(async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json;stream=watch' });
    for (let i = 0; i < bytes.length; i += 7) {
      await new Promise((resolve) => response.write(bytes.subarray(i, i + 7), resolve));
    }
    response.end();
  });
  const events = await all(await transport.watch({ method: 'GET', path: '/x' }));
  expect(events.map(({ object }) => 'name' in object.metadata && object.metadata.name)).toEqual(['ä', 'b', 'c']);
});

test('a watch that breaks throws; one that is aborted ends; one refused rejects', async () => {
  const { transport } = await plain((request, response) => {
    if (request.url === '/refused') return answer(response, 410, { kind: 'Status', reason: 'Expired', code: 410 });
    response.writeHead(200);
    response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n{"type":"ADD');
    if (request.url === '/reset') setImmediate(() => request.socket.destroy());
    if (request.url === '/cut') response.end();
  });
  const watch = (path: string, signal?: AbortSignal) =>
    transport.watch({ method: 'GET', path, ...(signal ? { signal } : {}) });
  await expect(all(await watch('/reset'))).rejects.toThrow(ConnectionError);
  await expect(all(await watch('/cut'))).rejects.toThrow('in the middle of an event');
  await expect(watch('/refused')).rejects.toMatchObject({ code: 410 });
  const controller = new AbortController();
  const events: WatchEvent[] = [];
  for await (const batch of await watch('/open', controller.signal)) {
    events.push(...batch);
    controller.abort();
  }
  expect(events).toHaveLength(1);
});

test('a watch without a sign of life counts as broken', async () => {
  const { transport } = await plain((_, response) => void response.writeHead(200).write('\n'), { watchIdle: 30 });
  await expect(all(await transport.watch({ method: 'GET', path: '/x' }))).rejects.toThrow(ConnectionError);
});

test('a server that is not there is named', async () => {
  const transport = open({ server: 'http://127.0.0.1:1', credentials: staticCredentials({}), namespace: 'default' });
  await expect(transport.send({ method: 'GET', path: '/api' })).rejects.toThrow(
    /GET http:\/\/127\.0\.0\.1:1\/api: .*ECONNREFUSED/,
  );
});

test('client certificate, CA, server name', async () => {
  const [ca, cert, key] = await Promise.all([fixture('ca.crt'), fixture('client.crt'), fixture('client.key')]);
  const options = {
    ca,
    cert: await fixture('server.crt'),
    key: await fixture('server.key'),
    requestCert: true,
    rejectUnauthorized: false,
  };
  const server = createServer(options, (request, response) => {
    answer(response, 200, { user: (request.socket as TLSSocket).getPeerCertificate().subject?.CN });
  });
  const { port } = await listen(server);
  const connection: Connection = {
    server: `https://127.0.0.1:${port}`,
    credentials: staticCredentials({ ca, cert, key }),
    namespace: 'default',
  };
  const get = (given: Partial<Connection>) => open({ ...connection, ...given }).send({ method: 'GET', path: '/' });
  expect((await get({})).body).toEqual({ user: 'admin' });
  expect((await get({ serverName: 'kubernetes' })).body).toEqual({ user: 'admin' });
  await expect(get({ serverName: 'elsewhere' })).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/);
  await expect(get({ credentials: staticCredentials({}) })).rejects.toThrow(ConnectionError);
  expect((await get({ credentials: staticCredentials({}), insecure: true })).body).toEqual({});
});

test('a rotated token is read again after a minute, and at once when it is refused', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-'));
  closers.push(() => rm(directory, { recursive: true }));
  const token = join(directory, 'token');
  const clock = new VirtualClock();
  const seen: string[] = [];
  let wanted = 'one';
  const credentials = mergedCredentials([staticCredentials({}), fileCredentials({ token }, clock, 'user "a"')]);
  const { transport } = await plain(
    (request, response) => {
      const { authorization = '' } = request.headers;
      seen.push(authorization);
      if (authorization === `Bearer ${wanted}`) answer(response, 200, {});
      else answer(response, 401, { kind: 'Status', reason: 'Unauthorized', code: 401 });
    },
    { credentials },
  );
  const get = () => transport.send({ method: 'GET', path: '/' });
  await expect(get()).rejects.toThrow(`user "a": cannot read the token from ${token}`);
  await writeFile(token, 'one\n');
  await get();
  await writeFile(token, 'two');
  await get();
  expect(seen).toEqual(['Bearer one', 'Bearer one']);
  await clock.advance(60_000);
  wanted = 'two';
  await get();
  await writeFile(token, 'three');
  wanted = 'three';
  await get();
  expect(seen.slice(2)).toEqual(['Bearer two', 'Bearer two', 'Bearer three']);
  wanted = 'four';
  await expect(get()).rejects.toMatchObject({ code: 401 });
});

test('a list without managed fields: they are handed over item by item, as texts', async () => {
  const fields = (manager: string) => [{ manager, operation: 'Apply', fieldsV1: { 'f:data': {} } }];
  const items = [
    { metadata: { name: 'a', managedFields: fields('one') } },
    { metadata: { name: 'b' } },
    { metadata: { managedFields: fields('two'), name: 'c' }, data: {} },
  ];
  const { transport } = await plain((_, response) => answer(response, 200, { metadata: {}, items }));
  const kept: unknown[] = [];
  const response = await transport.send({
    method: 'GET',
    path: '/api/v1/configmaps',
    keepManagedFields: ({ name }, text) => void kept.push([name, JSON.parse(text)]),
  });
  expect(kept).toEqual([
    ['a', fields('one')],
    ['c', fields('two')],
  ]);
  expect(response.body).toEqual({
    metadata: {},
    items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }, { metadata: { name: 'c' }, data: {} }],
  });
});

describe('a list that is handed on while it arrives', () => {
  const items = [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }];
  const added = items.map((object) => ({ type: 'ADDED', object }));
  const text = JSON.stringify({ kind: 'L', items, metadata: { resourceVersion: '7' } });
  const request = { method: 'GET', path: '/api/v1/configmaps' } as const;
  const taken = async ({ list }: Transport) => {
    if (!list) throw new Error('this transport hands lists on only whole');
    return all(await list(request));
  };

  test('comes as the events of a watch, compressed or not', async () => {
    for (const compressed of [false, true]) {
      const seen: unknown[] = [];
      const { transport } = await plain(({ headers }, response) => {
        seen.push(headers['accept-encoding']);
        response.writeHead(200, {
          'content-type': 'application/json',
          ...(compressed ? { 'content-encoding': 'gzip' } : {}),
        });
        response.end(compressed ? gzipSync(text) : text);
      });
      const events = await taken(transport);
      expect(events.slice(0, 2)).toEqual(added);
      expect(events[2]).toMatchObject({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '7' } } });
      expect(seen).toEqual(['gzip']);
    }
  });

  test('tells when it is refused, broken off or garbled', async () => {
    const refusing = await plain((_, response) => answer(response, 403, { kind: 'Status', message: 'no', code: 403 }));
    await expect(taken(refusing.transport)).rejects.toMatchObject({ code: 403 });
    for (const end of ['cut', 'short', 'garbled'] as const) {
      const { transport } = await plain((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        const bytes = gzipSync(text);
        if (end === 'short') response.end(gzipSync(text.slice(0, 30)));
        else if (end === 'garbled') response.end(Buffer.concat([bytes.subarray(0, 12), Buffer.from('????????')]));
        else response.write(bytes.subarray(0, 20), () => response.destroy());
      });
      await expect(taken(transport), end).rejects.toThrow(ConnectionError);
    }
  });
});

test('a call whose gate closes, or that is aborted, while it waits for a connection is never sent', async () => {
  const seen: (string | undefined)[] = [];
  const held: ServerResponse[] = [];
  const { port, sockets } = await listen(
    createPlainServer((request, response) => {
      seen.push(request.url);
      if (request.url === '/first') held.push(response);
      else answer(response, 200, {});
    }),
  );
  const credentials = staticCredentials({});
  const connection = { server: `http://127.0.0.1:${port}`, credentials, namespace: 'default' };
  const transport = httpTransport(connection, { maxConnections: 1 });
  closers.push(() => transport.close());
  const first = transport.send({ method: 'GET', path: '/first' });
  await expect.poll(() => held.length).toBe(1);
  const closed = new Error('the lease is lost');
  let [open, asked] = [true, 0];
  const gate = () => {
    asked++;
    if (!open) throw closed;
  };
  const abort = new AbortController();
  const gated = transport.send({ method: 'POST', path: '/gated', body: {}, gate }).catch((error) => error);
  const aborted = transport.send({ method: 'POST', path: '/aborted', signal: abort.signal }).catch((error) => error);
  const after = transport.send({ method: 'GET', path: '/after' });
  await expect.poll(() => asked).toBe(1);
  open = false;
  abort.abort(closed);
  expect(await aborted).toBe(closed);
  for (const response of held) answer(response, 200, {});
  await first;
  expect(await gated).toBe(closed);
  await after;
  expect(seen).toEqual(['/first', '/after']);
  expect(sockets.size).toBe(1);
});
