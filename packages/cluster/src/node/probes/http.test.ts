import { createServer as createHttp, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp } from 'node:net';
import { systemClock } from '@coxswain/runtime/core';
import { createAuthority } from '@coxswain/runtime/pki';
import { expect, test } from 'vitest';
import { executeProbe } from './probe.ts';
import { closedPort, listen, localTarget } from './test-target.ts';

const never = new AbortController().signal;

async function probe(handler: RequestListener, action: object = {}) {
  const server = createHttp(handler);
  await using listening = await listen(server);
  const { port } = listening;
  const result = await executeProbe({ httpGet: { port, path: '/', ...action } }, localTarget(), never);
  server.closeAllConnections();
  return result;
}

test.each([
  [200, { ok: true, output: 'fine' }],
  [299, { ok: true, output: 'fine' }],
  [304, { ok: true, output: 'Probe terminated redirects, Response body: ', note: 'warning' }],
  [400, { ok: false, output: 'HTTP probe failed with statuscode: 400' }],
  [500, { ok: false, output: 'HTTP probe failed with statuscode: 500' }],
])('an answer of %s', async (status, expected) => {
  const result = await probe((_request, response) => response.writeHead(status).end('fine'));
  expect(result).toEqual(expected);
});

test('path, query and headers go out as they are written, with the kubelet as the agent', async () => {
  let seen: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders } | undefined;
  const httpHeaders = [
    { name: 'Host', value: 'web.example' },
    { name: 'X-Twice', value: 'a' },
    { name: 'X-Twice', value: 'b' },
    { name: 'Accept', value: '' },
  ];
  await probe(
    ({ url, headers }, response) => {
      seen = { url, headers };
      response.end();
    },
    { path: 'a b/%2e?q=1#part', httpHeaders },
  );
  expect(seen?.url).toBe('/a%20b/%2e?q=1');
  expect(seen?.headers).toEqual({
    host: 'web.example',
    'x-twice': 'a, b',
    'user-agent': 'kube-probe/1.37',
    connection: 'close',
  });
});

test('redirects are followed on the same host only', async () => {
  const paths: (string | undefined)[] = [];
  const result = await probe(({ url }, response) => {
    paths.push(url);
    if (url === '/here') response.end('arrived');
    else response.writeHead(302, { location: '/here' }).end();
  });
  expect(result).toEqual({ ok: true, output: 'arrived' });
  expect(paths).toEqual(['/', '/here']);
  const elsewhere = await probe((_request, response) =>
    response.writeHead(302, { location: 'http://example.com/' }).end('moved'),
  );
  expect(elsewhere).toEqual({
    ok: true,
    output: 'Probe terminated redirects, Response body: moved',
    note: 'warning',
  });
});

test('redirects without end are given up', async () => {
  const result = await probe((_request, response) => response.writeHead(307, { location: '/again' }).end());
  expect(result).toEqual({ ok: false, output: 'Get "/again": stopped after 10 redirects' });
});

test('of a long body the beginning is enough', async () => {
  const result = await probe((_request, response) => response.end('x'.repeat(1_000_000)));
  expect(result.output).toHaveLength(10_240);
});

test('nobody listens', async () => {
  const port = await closedPort();
  const result = await executeProbe({ httpGet: { port, path: '/health' } }, localTarget(), never);
  expect(result).toEqual({
    ok: false,
    output: `Get "http://127.0.0.1:${port}/health": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  });
});

test('a server that never answers is a time-out', async () => {
  const server = createHttp(() => {});
  await using listening = await listen(server);
  const { port } = listening;
  const timeout = new AbortController();
  server.once('request', () => timeout.abort());
  const result = await executeProbe({ httpGet: { port, path: '/' } }, localTarget(), timeout.signal);
  expect(result).toEqual({
    ok: false,
    output: `Get "http://127.0.0.1:${port}/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
  });
});

test('a server that hangs up', async () => {
  const server = createTcp((socket) => socket.once('data', () => socket.end()));
  await using listening = await listen(server);
  const { port } = listening;
  const result = await executeProbe({ httpGet: { port, path: '/' } }, localTarget(), never);
  expect(result).toEqual({ ok: false, output: `Get "http://127.0.0.1:${port}/": EOF` });
});

test('a server that speaks something else', async () => {
  const server = createTcp((socket) => socket.once('data', () => socket.end('+PONG\r\n')));
  await using listening = await listen(server);
  const { port } = listening;
  const result = await executeProbe({ httpGet: { port, path: '/' } }, localTarget(), never);
  expect(result.output).toContain('malformed HTTP response');
  expect(result.ok).toBe(false);
});

test('HTTPS takes any certificate, and tells when there is none', async () => {
  const { key, cert } = createAuthority({ clock: systemClock }).issueServer(['127.0.0.1']);
  const server = createHttps({ key, cert }, (_request, response) => response.end('secret'));
  await using listening = await listen(server);
  const httpGet = { port: listening.port, path: '/', scheme: 'HTTPS' };
  expect(await executeProbe({ httpGet }, localTarget(), never)).toEqual({ ok: true, output: 'secret' });
  const open = createHttp();
  await using inTheClear = await listen(open);
  const result = await executeProbe({ httpGet: { ...httpGet, port: inTheClear.port } }, localTarget(), never);
  expect(result).toEqual({
    ok: false,
    output: `Get "https://127.0.0.1:${inTheClear.port}/": http: server gave HTTP response to HTTPS client`,
  });
});

test('ports have names', async () => {
  const server = createHttp((_request, response) => response.end('named'));
  await using listening = await listen(server);
  const target = localTarget({ ports: [{ name: 'web', containerPort: listening.port }] });
  expect(await executeProbe({ httpGet: { port: 'web', path: '/' } }, target, never)).toMatchObject({ ok: true });
  expect(await executeProbe({ httpGet: { port: 'other', path: '/' } }, target, never)).toEqual({
    ok: false,
    output: 'port "other" not found',
    note: 'error',
  });
});
