import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../core/index.ts';
import { inClusterConnection } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'coxswain-'));
});

afterEach(() => rm(directory, { recursive: true }));

const fixture = (name: string) => readFile(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
const base64 = (text: string) => Buffer.from(text).toString('base64');

function config(user: string, cluster = 'server: https://10.0.0.1:6443', context = ''): string {
  return `
apiVersion: v1
kind: Config
current-context: main
contexts:
- {name: main, context: {cluster: c, user: u${context}}}
clusters:
- name: c
  cluster:
    ${cluster}
users:
- name: u
  user:
    ${user}
`;
}

test('inline certificates, namespace, server name', async () => {
  const cluster = `server: https://h\n    certificate-authority-data: ${base64('CA')}\n    tls-server-name: k\n    insecure-skip-tls-verify: true\n    proxy-url: http://p`;
  const user = `client-certificate-data: ${base64('CERT')}\n    client-key-data: ${base64('KEY')}`;
  const connection = await loadKubeconfig({ text: config(user, cluster, ', namespace: ns') });
  expect(connection).toMatchObject({
    server: 'https://h',
    namespace: 'ns',
    serverName: 'k',
    insecure: true,
    proxy: 'http://p',
  });
  expect(await connection.credentials.current()).toEqual({ ca: 'CA', cert: 'CERT', key: 'KEY' });
});

test('files are found beside the kubeconfig', async () => {
  const path = join(directory, 'config');
  const user = 'client-certificate: certs/a.crt\n    client-key: certs/a.key\n    tokenFile: token';
  await writeFile(path, config(user, 'server: https://h\n    certificate-authority: certs/ca.crt'));
  await mkdir(join(directory, 'certs'));
  const [ca = '', cert = '', key = ''] = await Promise.all(['ca.crt', 'client.crt', 'client.key'].map(fixture));
  for (const [name, text] of [
    ['certs/a.crt', cert],
    ['certs/a.key', key],
    ['certs/ca.crt', ca],
    ['token', 'T\n'],
  ] as const) {
    await writeFile(join(directory, name), text);
  }
  const connection = await loadKubeconfig({ path });
  expect(await connection.credentials.current()).toEqual({ ca, cert, key, token: 'T' });
  await rm(join(directory, 'certs/a.key'));
  const again = await loadKubeconfig({ path });
  await expect(again.credentials.current()).rejects.toThrow(
    `kubeconfig ${path}, user "u": cannot read the key from ${join(directory, 'certs/a.key')}`,
  );
});

test('several files: the first to name something wins, and missing ones are passed over', async () => {
  const [one, two] = [join(directory, 'one'), join(directory, 'two')];
  await writeFile(one, 'clusters: [{name: c, cluster: {server: https://first}}]');
  await writeFile(two, config('token: t'));
  const connection = await loadKubeconfig({ path: [join(directory, 'none'), one, two].join(delimiter) });
  expect(connection.server).toBe('https://first');
  expect(await connection.credentials.current()).toEqual({ token: 't' });
});

test.each([
  ['kubeconfig: current-context is not set; name a context (there are: none)', 'users: []'],
  ['kubeconfig: there is no context "x" (there are: a)', 'current-context: x\ncontexts: [{name: a, context: {}}]'],
  ['kubeconfig, context "a": cluster is not set', 'current-context: a\ncontexts: [{name: a, context: {}}]'],
  [
    'kubeconfig, context "a": there is no cluster "c" (there are: none)',
    'current-context: a\ncontexts: [{name: a, context: {cluster: c}}]',
  ],
  ['kubeconfig, cluster "c": server is not set', config('token: t', 'proxy-url: x')],
  ['kubeconfig, cluster "c": server "nowhere" is not a URL', config('token: t', 'server: nowhere')],
  ['kubeconfig, user "u": token must be a string, not number', config('token: 5')],
  ['kubeconfig, user "u": client-key-data or client-key is not set', config('client-certificate: a')],
  ['kubeconfig, user "u": client-key-data is not base64', config('client-key-data: "@@"')],
  ['kubeconfig, user "u": auth-provider is no longer supported', config('auth-provider: {name: gcp}')],
  ['kubeconfig: users[0] has no name', config('token: t').replace('- name: u\n', '- x: u\n')],
  ['kubeconfig: not a kubeconfig', 'just text'],
  ['at line 1, column', 'a: [1'],
  [
    'the plugin wants a terminal',
    config('exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Always}'),
  ],
  ['apiVersion "v0" is not supported', config('exec: {apiVersion: v0, command: x}')],
])('%s', async (message, text) => {
  await expect(loadKubeconfig({ text })).rejects.toThrow(message);
});

test('a file that is not there is named', async () => {
  const path = join(directory, 'none');
  await expect(loadKubeconfig({ path })).rejects.toThrow(`cannot read kubeconfig ${path}`);
});

async function plugin(script: string, extra = '', clock = new VirtualClock()) {
  const command = join(directory, 'plugin');
  await writeFile(command, `#!/bin/sh\n${script}\n`);
  await chmod(command, 0o755);
  const exec = `exec: {apiVersion: client.authentication.k8s.io/v1, command: ${command}, args: [a, "b c"], env: [{name: WHO, value: me}]${extra}}`;
  const { credentials } = await loadKubeconfig({ text: config(exec), clock, env: { PATH: '/usr/bin:/bin' } });
  return { clock, credentials };
}

const printed = (status: string) =>
  `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":${status}}'`;

test('an exec plugin runs once until its credentials expire or are refused', async () => {
  const status = `{"token":"'"$WHO-$1-$2-$(wc -l < ${'"$0.runs"'})"'","expirationTimestamp":"2026-01-01T00:10:00Z"}`;
  const { clock, credentials } = await plugin(`echo x >> "$0.runs"\n${printed(status)}`);
  const token = async () => (await credentials.current()).token?.replace(/\s/g, '');
  expect(await Promise.all([token(), token()])).toEqual(['me-a-bc-1', 'me-a-bc-1']);
  await clock.advance(8 * 60_000);
  expect(await token()).toBe('me-a-bc-1');
  await clock.advance(60_001);
  expect(await token()).toBe('me-a-bc-2');
  expect(credentials.refused(await credentials.current())).toBe(true);
  expect(await token()).toBe('me-a-bc-3');
});

test.each([
  ['failed (exit 3): no login', 'echo "no login" >&2; exit 3'],
  ['did not print JSON', 'echo hello'],
  ['did not print an ExecCredential', 'echo "{}"'],
  ['neither a token nor a client certificate', printed('{}')],
])('an exec plugin that %s', async (message, script) => {
  const { credentials } = await plugin(script);
  await expect(credentials.current()).rejects.toThrow(message);
});

test('an exec plugin that is not installed, with its hint', async () => {
  const { credentials } = await plugin('', ', installHint: get it from the shop');
  await rm(join(directory, 'plugin'));
  await expect(credentials.current()).rejects.toThrow(
    /user "u": exec plugin ".*plugin" is not installed\nget it from the shop/,
  );
});

test('an exec plugin that hangs is ended', async () => {
  const { clock, credentials } = await plugin('exec sleep 60');
  const failed = expect(credentials.current()).rejects.toThrow('did not finish within 30s');
  await clock.advance(30_000);
  await failed;
});

test('in a pod: service account files and the service address', async () => {
  await writeFile(join(directory, 'token'), 'T');
  const ca = await fixture('ca.crt');
  await writeFile(join(directory, 'ca.crt'), ca);
  await writeFile(join(directory, 'namespace'), 'mine');
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  const connection = await inClusterConnection({ env, directory });
  expect(connection).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'mine' });
  expect(await connection.credentials.current()).toEqual({ token: 'T', ca });
  await expect(inClusterConnection({ env: {} })).rejects.toThrow('KUBERNETES_SERVICE_HOST is not set');
  await rm(join(directory, 'token'));
  await expect(inClusterConnection({ env, directory })).rejects.toThrow(
    `cannot read the token from ${join(directory, 'token')}`,
  );
});

test('a kubeconfig that is not YAML is told in one line without its text, which may hold secrets', async () => {
  const path = join(directory, 'config');
  await writeFile(path, 'users:\n- name: a\n  user: {token: sekret\n');
  const error = await loadKubeconfig({ path }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  const { message, cause } = error as Error;
  expect(message).toMatch(/^kubeconfig \S+config: not YAML: .* at line 4, column 1$/);
  expect(message).not.toContain('sekret');
  expect(cause).toBeUndefined();
});

test('a kubeconfig that is not there is told with what to do', async () => {
  const path = join(directory, 'none');
  await expect(loadKubeconfig({ path })).rejects.toThrow(
    new Error(
      `cannot read kubeconfig ${path}: there is no such file; set KUBECONFIG, or the path given, to one that is there`,
    ),
  );
});
