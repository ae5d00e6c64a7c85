import { expect, test } from 'vitest';
import { proxyFromEnvironment } from './proxy-from-environment.ts';

const env = { HTTPS_PROXY: 'http://secure:1', HTTP_PROXY: 'plain:2' };

test.each([
  ['https://10.0.0.1:6443', env, 'http://secure:1'],
  ['http://10.0.0.1', env, 'http://plain:2'],
  ['https://10.0.0.1', { https_proxy: 'socks5://p' }, 'socks5://p'],
  ['https://10.0.0.1', {}, undefined],
  ['https://localhost:6443', env, undefined],
  ['https://127.8.0.1', env, undefined],
  ['https://[::1]:6443', env, undefined],
])('%s with %o', (server, given, proxy) => {
  expect(proxyFromEnvironment(server, given)).toBe(proxy);
});

test.each([
  ['*', 'https://a.dev', true],
  ['a.dev', 'https://a.dev', true],
  ['a.dev', 'https://x.A.dev', true],
  ['a.dev', 'https://ba.dev', false],
  ['.a.dev', 'https://a.dev', false],
  ['.a.dev', 'https://x.a.dev', true],
  ['*.a.dev', 'https://x.a.dev', true],
  ['a.dev:6443', 'https://a.dev', false],
  ['a.dev:6443', 'https://a.dev:6443', true],
  ['x, 10.1.2.3', 'https://10.1.2.3:6443', true],
  ['10.1.2.3:443', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://11.1.2.3', false],
  ['fd00::/8', 'https://[fd00::1]', true],
  ['fd00::1', 'https://[fd00::1]:6443', true],
  ['10.0.0.0/99, not a rule/x', 'https://10.1.2.3', false],
])('NO_PROXY=%s and %s: exempt is %s', (rules, server, exempt) => {
  const proxy = proxyFromEnvironment(server, { ...env, NO_PROXY: rules });
  expect(proxy).toBe(exempt ? undefined : 'http://secure:1');
});
