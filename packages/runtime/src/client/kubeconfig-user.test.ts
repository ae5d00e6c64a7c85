import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { VirtualClock } from '../core/index.ts';
import { loadKubeconfig } from './kubeconfig.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coxswain-'));
});

afterEach(() => rm(directory, { recursive: true }));

const fixture = (name: string) => readFile(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

function load(user: object, cluster: object = {}, clock = new VirtualClock(), env: Record<string, string> = {}) {
  const text = stringify({
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1', ...cluster } }],
    users: [{ name: 'u', user }],
  });
  return loadKubeconfig({ text, clock, env: { PATH: '/usr/bin:/bin', ...env } });
}

/** A program that prints what stands in the file `answer` beside it, and keeps what it was told. */
async function plugin(answer: object, settings: object = {}) {
  const command = join(directory, 'plugin');
  await writeFile(
    command,
    `#!/bin/sh\necho run >> "$0.runs"\nprintf '%s' "$KUBERNETES_EXEC_INFO" > "$0.info"\ncat "$0.answer"\n`,
  );
  await chmod(command, 0o755);
  const apiVersion = 'client.authentication.k8s.io/v1beta1';
  const print = (status: object) =>
    writeFile(`${command}.answer`, JSON.stringify({ apiVersion, kind: 'ExecCredential', status }));
  await print(answer);
  return {
    exec: { apiVersion, command, interactiveMode: 'Never', ...settings },
    print,
    runs: async () => (await readFile(`${command}.runs`, 'utf8').catch(() => '')).split('\n').length - 1,
    info: async () => JSON.parse(await readFile(`${command}.info`, 'utf8')) as unknown,
  };
}

test('whom to act as', async () => {
  const user = { token: 't', as: 'jane', 'as-uid': '7', 'as-groups': ['dev'], 'as-user-extra': { scopes: ['a', 'b'] } };
  expect((await load(user)).impersonation).toEqual({
    user: 'jane',
    uid: '7',
    groups: ['dev'],
    extra: { scopes: ['a', 'b'] },
  });
  expect((await load({ token: 't' })).impersonation).toBeUndefined();
  await expect(load({ 'as-groups': ['dev'] })).rejects.toThrow('user "u": as-uid, as-groups and as-user-extra need');
  await expect(load({ as: 'a', 'as-user-extra': { x: 'y' } })).rejects.toThrow('x must be a list, not string');
});

test('proxies: the one of the cluster, else the environment', async () => {
  const env = { HTTPS_PROXY: 'http://env:1' };
  expect((await load({}, {}, undefined, env)).proxy).toBe('http://env:1');
  expect((await load({}, { 'proxy-url': 'socks5://p' }, undefined, env)).proxy).toBe('socks5://p');
  for (const wrong of ['ftp://p', 'socks5h://p', 'p:1080', '//p']) {
    await expect(load({}, { 'proxy-url': wrong })).rejects.toThrow('cluster "c": proxy-url must be a URL that begins');
  }
});

test('compression', async () => {
  expect((await load({}, { 'disable-compression': true })).disableCompression).toBe(true);
  expect((await load({})).disableCompression).toBeUndefined();
});

test('a token and a password contradict each other', async () => {
  await expect(load({ token: 't', username: 'u' })).rejects.toThrow('both a token and a username are set');
});

test('a plugin is not asked when the user has something else', async () => {
  const { exec, runs } = await plugin({ token: 'plugin' });
  const pair = {
    'client-certificate-data': Buffer.from(await fixture('client.crt')).toString('base64'),
    'client-key-data': Buffer.from(await fixture('client.key')).toString('base64'),
  };
  for (const other of [{ token: 't' }, { username: 'u', password: 'p' }, pair]) {
    const { credentials } = await load({ exec, ...other });
    expect((await credentials.current()).token).not.toBe('plugin');
  }
  expect(await runs()).toBe(0);
});

test('a plugin that asks for it is told about the cluster', async () => {
  const { exec, info } = await plugin({ token: 't' }, { provideClusterInfo: true });
  const ca = await fixture('ca.crt');
  await writeFile(join(directory, 'ca.crt'), ca);
  const { credentials } = await load(
    { exec },
    {
      'certificate-authority': join(directory, 'ca.crt'),
      'tls-server-name': 'k',
      'proxy-url': 'http://p',
      'disable-compression': true,
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }],
    },
  );
  await credentials.current();
  expect(await info()).toEqual({
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      cluster: {
        server: 'https://10.0.0.1',
        'tls-server-name': 'k',
        'certificate-authority-data': Buffer.from(ca).toString('base64'),
        'proxy-url': 'http://p',
        'disable-compression': true,
        config: { audience: 'x' },
      },
    },
  });
});

test('a plugin may answer with a certificate, which must be whole', async () => {
  const [cert, key, other] = await Promise.all(['client.crt', 'client.key', 'server.key'].map(fixture));
  const { exec, print } = await plugin({ clientCertificateData: cert, clientKeyData: key });
  const { credentials } = await load({ exec });
  expect(await credentials.current()).toEqual({ cert, key });
  const refuse = async (status: object, message: string) => {
    const used = await credentials.current();
    await print(status);
    credentials.refused(used);
    await expect(credentials.current()).rejects.toThrow(message);
    await print({ clientCertificateData: cert, clientKeyData: key });
  };
  await refuse({ token: 't', clientCertificateData: cert }, 'printed only one of a client certificate and its key');
  await refuse({ clientCertificateData: cert, clientKeyData: other }, "the key is not the certificate's");
  await refuse({ clientCertificateData: 'nonsense', clientKeyData: key }, 'the certificate cannot be read');
});

test('calls that were refused together have the plugin run once', async () => {
  const { exec, print, runs } = await plugin({ token: 'old' });
  const { credentials } = await load({ exec });
  const used = await credentials.current();
  await print({ token: 'new' });
  expect(credentials.refused(used)).toBe(true);
  expect((await credentials.current()).token).toBe('new');
  // This one was under way with the old token too, and comes back late.
  expect(credentials.refused(used)).toBe(true);
  expect((await credentials.current()).token).toBe('new');
  expect(await runs()).toBe(2);
});

test('credentials that live shorter than the time they are renewed before are used all the same', async () => {
  const clock = new VirtualClock();
  const expirationTimestamp = new Date(clock.now() + 30_000).toISOString();
  const { exec, runs } = await plugin({ token: 't', expirationTimestamp });
  const { credentials } = await load({ exec }, {}, clock);
  await credentials.current();
  await clock.advance(14_000);
  await credentials.current();
  expect(await runs()).toBe(1);
  await clock.advance(2_000);
  await credentials.current();
  expect(await runs()).toBe(2);
});
