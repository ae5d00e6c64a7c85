import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultConnection } from './default-connection.ts';

let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'coxswain-'));
});

afterEach(() => rm(home, { recursive: true }));

/** A kubeconfig of one cluster, with a context for it and another. */
async function kubeconfig(name: string, server: string): Promise<string> {
  const path = join(home, name);
  await mkdir(dirname(path), { recursive: true });
  const context = (context: string, namespace: string) =>
    `{name: ${context}, context: {cluster: c, namespace: ${namespace}}}`;
  await writeFile(
    path,
    `current-context: one\ncontexts: [${context('one', 'first')}, ${context('two', 'second')}]\nclusters: [{name: c, cluster: {server: ${server}}}]`,
  );
  return path;
}

async function serviceAccount(): Promise<string> {
  const directory = join(home, 'serviceaccount');
  await mkdir(directory);
  await writeFile(join(directory, 'token'), 'T');
  await writeFile(join(directory, 'ca.crt'), await readFile(new URL('fixtures/ca.crt', import.meta.url)));
  return directory;
}

const pod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

test('the flag, KUBECONFIG, the cluster around, the home directory: in this order', async () => {
  const path = await kubeconfig('flag', 'https://flag');
  const listed = await kubeconfig('listed', 'https://listed');
  await kubeconfig('.kube/config', 'https://home');
  const directory = await serviceAccount();
  const env = { ...pod, HOME: home, KUBECONFIG: [join(home, 'missing'), listed].join(delimiter) };
  const server = async (options: Parameters<typeof defaultConnection>[0]) => (await defaultConnection(options)).server;

  expect(await server({ env, path, directory })).toBe('https://flag');
  expect(await server({ env, directory })).toBe('https://listed');
  expect(await server({ env: { ...pod, HOME: home }, directory })).toBe('https://10.96.0.1:443');
  expect(await server({ env: { ...pod, HOME: home }, directory: join(home, 'none') })).toBe('https://home');
  expect(await server({ env: { HOME: home }, directory })).toBe('https://home');
});

test("a context is a kubeconfig's: the cluster around is passed over", async () => {
  await kubeconfig('.kube/config', 'https://home');
  const directory = await serviceAccount();
  const connection = await defaultConnection({ env: { ...pod, HOME: home }, directory, context: 'two' });
  expect(connection).toMatchObject({ server: 'https://home', namespace: 'second' });
});

test('what is named must be right; nothing else is tried', async () => {
  await kubeconfig('.kube/config', 'https://home');
  const path = join(home, 'missing');
  await expect(defaultConnection({ env: { HOME: home }, path })).rejects.toThrow(`cannot read kubeconfig ${path}`);
  await expect(defaultConnection({ env: { HOME: home, KUBECONFIG: path } })).rejects.toThrow('cannot read kubeconfig');
});

test('when there is none, the error says what was looked for', async () => {
  await expect(defaultConnection({ env: { HOME: home } })).rejects.toThrow(
    `no cluster to connect to: KUBECONFIG is not set; not running in a pod: the environment variable KUBERNETES_SERVICE_HOST is not set; there is no ${join(home, '.kube', 'config')}`,
  );
  await expect(defaultConnection({ env: pod, directory: join(home, 'none') })).rejects.toThrow(
    /service account: cannot read the token from .*; HOME is not set/,
  );
});
