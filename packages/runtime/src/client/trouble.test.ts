import { readFile } from 'node:fs/promises';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { systemRandom, VirtualClock } from '../core/index.ts';
import { createClient } from './client.ts';
import type { Connection, Credentials } from './connection.ts';
import { staticCredentials } from './credentials.ts';
import { ConnectionError, isTransient, TransportClosed } from './errors.ts';
import { httpTransport } from './http-transport.ts';
import { things } from './test-things.ts';
import { troubleOf } from './trouble.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const fixture = (name: string) => readFile(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const plain = async (handle: RequestListener) => `http://127.0.0.1:${await listen(createPlainServer(handle))}`;

async function secure(options: ServerOptions = {}): Promise<string> {
  const pair = { cert: await fixture('server.crt'), key: await fixture('server.key') };
  return `https://127.0.0.1:${await listen(createServer({ ...pair, ...options }, (_, response) => response.end('ok')))}`;
}

function connect(server: string, credentials: Credentials = {}, given: Partial<Connection> = {}) {
  const transport = httpTransport({
    server,
    credentials: staticCredentials(credentials),
    namespace: 'default',
    ...given,
  });
  closers.push(() => transport.close());
  return transport;
}

async function failure(server: string, credentials?: Credentials, given?: Partial<Connection>, userAgent?: string) {
  const request = { method: 'GET', path: '/x', ...(userAgent ? { userAgent } : {}) } as const;
  const error = await connect(server, credentials, given)
    .send(request)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConnectionError);
  const { message, cause } = error as ConnectionError;
  expect(cause).toBeInstanceOf(Error);
  expect(message).not.toMatch(/UND_ERR|undici|routines|\n/);
  expect(message.startsWith(`GET ${server}/x: `)).toBe(true);
  return message.slice(`GET ${server}/x: `.length);
}

test('what breaks a connection is told in our words, with what to do', async () => {
  expect(await failure('http://127.0.0.1:1')).toBe(
    'connect ECONNREFUSED 127.0.0.1:1; look whether it runs, and whether the address is right',
  );
  const cut = await plain((request) => request.socket.destroy());
  expect(await failure(cut)).toBe('the connection was closed before the answer was complete');
  const halfway = await plain((request, response) => {
    response.writeHead(200, { 'content-length': 9 }).write('abc', () => request.socket.destroy());
  });
  expect(await failure(halfway)).toBe('the connection was closed before the answer was complete');
  const garbled = await plain((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all'),
  );
  expect(await failure(garbled)).toBe('the compressed answer is garbled (Z_DATA_ERROR)');
  const noJson = await plain((_, response) => response.setHeader('content-type', 'application/json').end('{"a":'));
  expect(await failure(noJson)).toMatch(/^the answer is not JSON: /);
  expect(await failure(noJson, {}, {}, 'a\nb')).toBe('the request cannot be sent: invalid user-agent header');
  const ssh = createSocketServer((socket) => socket.on('data', () => socket.end('SSH-2.0-OpenSSH\r\n')));
  expect(await failure(`http://127.0.0.1:${await listen(ssh)}`)).toBe(
    'what answered does not speak HTTP/1.1; look whether the address is that of an API server',
  );
});

test('so is what breaks TLS', async () => {
  const [ca, cert, serverKey] = await Promise.all([fixture('ca.crt'), fixture('client.crt'), fixture('server.key')]);
  const server = await secure();
  expect(await failure(server)).toMatch(/^the server's certificate is not signed by an authority .*\(UNABLE_TO_VERIFY/);
  expect(await failure(server, { ca }, { serverName: 'elsewhere' })).toMatch(/for another name \(Host: elsewhere/);
  expect(await failure(server, { ca, cert, key: serverKey })).toMatch(/certificate and its key cannot be used/);
  expect(await failure(server, { ca, cert, key: 'nonsense' })).toMatch(/certificate and its key cannot be used/);
  const noTls = (await plain(() => {})).replace('http:', 'https:');
  expect(await failure(noTls)).toMatch(/^what answered does not speak TLS \(ERR_SSL_WRONG_VERSION_NUMBER\); /);
});

test('so is what a proxy does', async () => {
  const ca = await fixture('ca.crt');
  const server = await secure();
  const refusing = createPlainServer().on('connect', (_, socket) => socket.end('HTTP/1.1 407 Who are you\r\n\r\n'));
  const proxy = `http://me:secret@127.0.0.1:${await listen(refusing)}`;
  const refused = await failure(server, { ca }, { proxy });
  expect(refused).toBe(
    'the proxy refused to connect to it (HTTP 407); it wants a user and a password: http://USER:PASSWORD@PROXY',
  );
  expect(await failure(server, { ca }, { proxy: 'http://127.0.0.1:1' })).toContain('ECONNREFUSED 127.0.0.1:1');
});

test.each([
  ['CERT_HAS_EXPIRED', 'certificate has expired', /^the server's certificate has expired \(CERT_HAS_EXPIRED\); renew/],
  [
    'ENOTFOUND',
    'getaddrinfo ENOTFOUND api.x',
    'getaddrinfo ENOTFOUND api.x; look whether the name is right and DNS knows it',
  ],
  ['HPE_INVALID_CONSTANT', 'Expected HTTP/', /^what answered does not speak HTTP\/1\.1; /],
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    '0:error:0A:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/x.c:916:SSL alert number 116\n',
    /^the TLS handshake failed: tlsv13 alert certificate required \(ERR_SSL_TLSV13/,
  ],
  ['UND_ERR_OF_TOMORROW', 'something new', 'the connection failed: something new'],
  ['EOWN', 'of somebody', 'of somebody (EOWN)'],
])('%s', (code, message, expected) => {
  const said = troubleOf(Object.assign(new Error(message), { code }));
  if (typeof expected === 'string') expect(said).toBe(expected);
  else expect(said).toMatch(expected);
});

test('a connection that failed at several addresses names its code', () => {
  const error = Object.assign(new AggregateError([new Error('a'), new Error('b')]), { code: 'ECONNREFUSED' });
  expect(troubleOf(error)).toBe(
    'no connection came about (ECONNREFUSED); look whether it runs, and whether the address is right',
  );
});

test('a transport that is closed says so: to what it cut off, and to what comes later; nothing is tried again', async () => {
  let asked = 0;
  const server = await plain((_, response) => {
    asked++;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .write('{"kind":"ThingList","items":[{"metadata":{}},');
  });
  const transport = connect(server);
  const clock = new VirtualClock();
  const resource = createClient({ transport, clock, random: systemRandom }).of(things);
  const stream = await resource.listStream?.({ namespace: 'a' });
  const cut = (async () => {
    for await (const _ of stream ?? []);
  })().catch((error: unknown) => error);
  await transport.close();
  const where = `GET ${server}/apis/x.dev/v1/namespaces/a/things`;
  expect(await cut).toBeInstanceOf(TransportClosed);
  expect(await cut).toMatchObject({
    message: `${where}: the transport was closed meanwhile; close it when everything that uses it has ended`,
    cause: { code: 'UND_ERR_DESTROYED' },
  });
  const later = await resource.get({ namespace: 'a', name: 'x' }).catch((error: unknown) => error);
  expect(later).toBeInstanceOf(TransportClosed);
  expect(later).toMatchObject({ message: `${where}/x: the transport has been closed; open another one` });
  expect(isTransient(later)).toBe(false);
  expect(asked).toBe(1);
});
