import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { staticCredentials } from './credentials.ts';
import { httpTransport } from './http-transport.ts';
import { impersonationHeaders } from './impersonation.ts';

test('only what is set is said', () => {
  expect(impersonationHeaders({ user: 'a' })).toEqual({ 'impersonate-user': 'a' });
  expect(impersonationHeaders({ user: 'a', uid: '', groups: [], extra: { none: [] } })).toEqual({
    'impersonate-user': 'a',
  });
});

test('keys of extra are escaped where a header name has no place for them', () => {
  const extra = { 'example.org/a b%': ['1'], ü: ['2'], 'A-z_~!': ['3'] };
  expect(Object.keys(impersonationHeaders({ user: 'a', extra }))).toEqual([
    'impersonate-user',
    'impersonate-extra-example.org%2Fa%20b%25',
    'impersonate-extra-%C3%BC',
    'impersonate-extra-A-z_~!',
  ]);
});

test('on the wire: one header a value, values as UTF-8', async () => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = httpTransport({
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: staticCredentials({}),
    namespace: 'default',
    impersonation: { user: 'Zoë', uid: '7', groups: ['dev', 'system:masters'], extra: { 'x/y': ['1', '2'] } },
  });
  await transport.send({ method: 'GET', path: '/' });
  await transport.close();
  server.close();
  const headers = seen[0]?.headersDistinct ?? {};
  expect(Buffer.from(headers['impersonate-user']?.[0] ?? '', 'latin1').toString('utf8')).toBe('Zoë');
  expect(headers).toMatchObject({
    'impersonate-uid': ['7'],
    'impersonate-group': ['dev', 'system:masters'],
    'impersonate-extra-x%2fy': ['1', '2'],
  });
});
