import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect as tlsConnect } from 'node:tls';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Transport } from '@coxswain/runtime/client';
import { ApiError, seededRandom, silentLogger, systemClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedServer, startServer } from '../../../embedded-server.ts';
import { backendNode } from './test-backend.ts';

const { node, server: pages } = backendNode(8080, (request, response) => {
  const { url = '', method, headers } = request;
  if (url.startsWith('/moved')) return void response.writeHead(302, { Location: '/here' }).end();
  if (url.startsWith('/page')) {
    const page = gzipSync('<a href="/next">next</a>');
    return void response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' }).end(page);
  }
  if (url.startsWith('/lie')) {
    return void response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' }).end('not packed');
  }
  if (url.startsWith('/broken')) return void request.socket.destroy();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(201, { 'X-Own': 'yes', 'Access-Control-Allow-Origin': '*', 'Set-Cookie': ['a=1', 'b=2'] });
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
});
pages.on('upgrade', (request, socket) => {
  if (request.url === '/no') return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nno: ');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${request.headers.upgrade}\r\n\r\nhello `,
  );
  socket.pipe(socket);
});

let server: EmbeddedServer;
let transport: Transport;

const send = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown, contentType?: string) =>
  transport.send({ method, path, ...(body === undefined ? {} : { body }), ...(contentType ? { contentType } : {}) });
const refusalOf = (answer: Promise<unknown>) =>
  answer.then(
    () => undefined,
    (error: unknown) => (error instanceof ApiError ? error.status : error),
  );

const pods = '/api/v1/namespaces/default/pods';
const services = '/api/v1/namespaces/default/services';

beforeAll(async () => {
  server = await startServer({
    clock: systemClock,
    random: seededRandom(1),
    log: silentLogger,
    options: { controlPlane: false, port: 0 },
    nodes: new Map([['n', node]]),
  });
  transport = server.transport({ name: 'admin', groups: ['system:masters'] });
  await send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } }).catch(() => {});
  const containers = [{ name: 'main', image: 'i', ports: [{ containerPort: 8080 }] }];
  await send('POST', pods, { metadata: { name: 'web' }, spec: { nodeName: 'n', containers } });
  const status = { podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }] };
  await send('PATCH', `${pods}/web/status`, { status }, 'application/merge-patch+json');
  await send('POST', services, { metadata: { name: 'web' }, spec: { ports: [{ name: 'http', port: 80 }] } });
  await send('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    metadata: { name: 'web', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'], targetRef: { kind: 'Pod', namespace: 'default', name: 'web' } }],
    ports: [{ name: 'http', port: 8080 }],
  });
});
afterAll(() => server.close());

interface Wire {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Over HTTPS, as an administrator. */
async function wire(method: string, path: string, headers: object = {}, body?: string): Promise<Wire> {
  const { cert, key } = server.authority.issueClient({ name: 'admin', groups: ['system:masters'] });
  const socket = tlsConnect({ host: '127.0.0.1', port: server.port ?? 0, ca: server.authority.cert, cert, key });
  await once(socket, 'secureConnect');
  const outgoing = httpRequest({ createConnection: () => socket, method, path, headers: { host: 'me:1', ...headers } });
  outgoing.end(body);
  const [incoming] = await once(outgoing, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return { status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks) };
}

test('any method, path, query and body is passed on, and little else', async () => {
  const secrets = { 'impersonate-user': 'ann', 'impersonate-group': 'system:masters', 'x-remote-user': 'me' };
  const own = { 'x-mine': 'v', 'content-type': 'text/odd', te: 'trailers, gzip', connection: 'x-hop', 'x-hop': '1' };
  const path = `${pods}/web/proxy/a%20b//c/../d/?x=%20&x=2`;
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const headers = { ...own, ...secrets, 'content-length': '4' };
    const { status, headers: answered, body } = await wire(method, path, headers, 'body');
    expect(status).toBe(201);
    expect(answered).toMatchObject({ 'x-own': 'yes', 'set-cookie': ['a=1', 'b=2'] });
    expect(answered).not.toHaveProperty('access-control-allow-origin');
    const seen = JSON.parse(body.toString());
    expect(seen).toMatchObject({ method, url: '/a%20b/d/?x=%20&x=2', body: 'body' });
    expect(seen.headers).toMatchObject({
      host: 'me:1',
      'x-mine': 'v',
      'content-type': 'text/odd',
      te: 'trailers',
      'x-forwarded-uri': `${pods}/web/proxy/a%20b/d/`,
      'x-forwarded-for': '127.0.0.1',
    });
    for (const name of ['x-hop', ...Object.keys(secrets)]) expect(seen.headers).not.toHaveProperty(name);
  }
  const chunked = await wire('POST', `${pods}/web/proxy/`, { 'transfer-encoding': 'chunked' }, 'in pieces');
  expect(JSON.parse(chunked.body.toString())).toMatchObject({ url: '/', body: 'in pieces' });
  const head = await wire('HEAD', `${pods}/web/proxy/x`);
  expect(head).toMatchObject({ status: 201, body: Buffer.alloc(0) });
});

test('over HTTP/2 the same', async () => {
  const { cert, key } = server.authority.issueClient({ name: 'admin', groups: ['system:masters'] });
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: server.authority.cert, cert, key });
  const stream = session.request({ ':method': 'PUT', ':path': `${pods}/web/proxy/x?y`, 'x-mine': 'v' });
  stream.end('without a length');
  const [answered] = await once(stream, 'response');
  expect(answered).toMatchObject({ ':status': 201, 'x-own': 'yes', 'set-cookie': ['a=1', 'b=2'] });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  const seen = JSON.parse(text);
  expect(seen).toMatchObject({ method: 'PUT', url: '/x?y', body: 'without a length' });
  expect(seen.headers).toMatchObject({ host: `127.0.0.1:${server.port}`, 'x-mine': 'v' });
  session.close();
});

test('a configuration map called proxy is none', async () => {
  const map = { metadata: { name: 'proxy' }, data: { a: 'b' } };
  const path = '/api/v1/namespaces/default/configmaps';
  const json = { 'content-type': 'application/json' };
  expect((await wire('POST', path, json, JSON.stringify(map))).status).toBe(201);
  expect((await wire('PUT', `${path}/proxy`, json, JSON.stringify({ ...map, data: { a: 'c' } }))).status).toBe(200);
  expect((await send('GET', `${path}/proxy`)).body).toMatchObject({ data: { a: 'c' } });
});

test('pages are turned to lead through the proxy', async () => {
  expect((await wire('GET', `${pods}/web/proxy`)).headers.location).toBe(`${pods}/web/proxy/`);
  expect((await wire('GET', `${services}/web:http/proxy?x=y`)).headers.location).toBe(
    `${services}/web:http/proxy/?x=y`,
  );
  expect((await wire('GET', `${pods}/web/proxy/moved`)).headers.location).toBe(`${pods}/web/proxy/here`);
  const page = await wire('GET', `${services}/web:80/proxy/page`);
  expect((await wire('GET', `${pods}/web/proxy/lie`)).body.toString()).toBe('not packed');
  expect(gunzipSync(page.body).toString()).toBe(`<a href="${services}/web:80/proxy/next">next</a>`);
});

test('in this process too', async () => {
  const { status, body } = await send('POST', `${services}/web:http/proxy/x`, { a: 1 });
  expect(status).toBe(201);
  expect(JSON.parse(String(body))).toMatchObject({ url: '/x', method: 'POST', body: '{"a":1}' });
});

test('what cannot be reached is unavailable', async () => {
  const reach = 'error trying to reach service:';
  expect(await refusalOf(send('GET', `${pods}/web:9/proxy/`))).toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    message: `${reach} dial tcp web:9: connect: connection refused`,
  });
  expect(await refusalOf(send('GET', `${pods}/web:odd/proxy/`))).toMatchObject({
    message: `${reach} dial tcp: lookup tcp/odd: unknown port`,
  });
  expect(await refusalOf(send('GET', `${pods}/web/proxy/broken`))).toMatchObject({
    code: 503,
    message: `${reach} EOF`,
  });
  expect(await refusalOf(send('GET', `${pods}/https:web:8080/proxy/`))).toMatchObject({
    message: `${reach} tls: first record does not look like a TLS handshake`,
  });
});

/** Asks for an upgrade and says `bye`; answers all that comes. */
async function upgraded(path: string): Promise<string> {
  const { cert, key } = server.authority.issueClient({ name: 'admin', groups: ['system:masters'] });
  const socket = tlsConnect({ host: '127.0.0.1', port: server.port ?? 0, ca: server.authority.cert, cert, key });
  await once(socket, 'secureConnect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  let text = '';
  let said = false;
  for await (const chunk of socket) {
    text += String(chunk);
    if (!said && text.includes('hello')) socket.end('bye');
    said ||= text.includes('hello');
  }
  return text;
}

test('upgrades are passed on', async () => {
  expect(await upgraded(`${pods}/web/proxy/ws`)).toMatch(
    /^HTTP\/1\.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello bye$/,
  );
  expect(await upgraded(`${pods}/web/proxy/no`)).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*no: $/);
  expect(await upgraded(`${pods}/web:9/proxy/no`)).toMatch(
    /^HTTP\/1\.1 500 [\s\S]*error dialing backend: dial tcp web:9/,
  );
});
