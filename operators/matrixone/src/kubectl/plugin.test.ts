/** The packed plugin under the real kubectl, with the operator on simulated nodes. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Cluster, startCluster } from '@coxswain/cluster';
import { installCrds } from '@coxswain/runtime/apply';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { type ClusterProgram, kubectlFor } from '@coxswain/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CnStoreService } from '../cnstore/index.ts';
import { matrixoneOperator } from '../operator.ts';

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const example = fileOf('../../../../examples/matrixone/cluster.yaml');

let cluster: Cluster;
let manager: Manager;
let kubectl: ClusterProgram;
let folder: string;
/** Lets the programs in pods write a line. */
const writers: ((line: string) => void)[] = [];

/** Nodes whose load is known, and none. */
const cnStores: CnStoreService = {
  refreshAfter: 1_000,
  serve: async () => {},
  drain: async () => {},
  load: async () => ({ sessions: 0, pipelines: 0, replicas: 0 }),
  forget: async () => {},
};

async function installPlugin(): Promise<void> {
  const [bundle, entry] = [fileOf('../../../../scripts/bundle.ts'), fileOf('./main.ts')];
  await promisify(execFile)(process.execPath, [bundle, join(folder, 'packed'), entry]);
  await mkdir(join(folder, 'bin'));
  // elsewhere than where it was made: it may need nothing beside it
  await copyFile(join(folder, 'packed'), join(folder, 'bin', 'kubectl-mo'));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-plugin-'));
  const programs = ({ metadata }: { readonly metadata: { readonly name: string } }) => ({
    start({ write }: { write(text: string): void }) {
      writers.push((line) => write(`${line}\n`));
      write(`${metadata.name} starts\n\u001b[2Jcleared\n`);
    },
  });
  cluster = await startCluster({ port: 0, programs });
  await installCrds(cluster.client, matrixoneOperator.crds());
  manager = createManager({ client: cluster.client, name: 'matrixone-operator' });
  matrixoneOperator.setup(manager, { cnStores });
  await manager.start();
  await installPlugin();
  const path = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(':');
  kubectl = await kubectlFor(cluster.kubeconfig(), { PATH: path });
  await kubectl(['apply', '-f', '-'], await readFile(example, 'utf8'));
  await kubectl(['wait', 'matrixonecluster/mo', '--for=condition=Ready', '--timeout=60s']);
});

afterAll(async () => {
  await kubectl?.[Symbol.asyncDispose]();
  await manager?.stop();
  await cluster?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('kubectl finds it, and hands its words over', async () => {
  expect(await kubectl(['plugin', 'list', '--name-only'])).toContain('kubectl-mo');
  expect(await kubectl(['mo', 'version'])).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await kubectl.try(['mo', 'statsu'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no command "statsu"'),
  });
});

test('status with the user’s kubeconfig, plain where it is no terminal', async () => {
  const tree = await kubectl(['mo', 'status', '-n', 'default']);
  expect(tree).toMatch(/^MatrixOneCluster default\/mo: all is as it should be\n● MatrixOneCluster\/mo /);
  expect(tree).toMatch(/● ├─ LogSet\/mo +3\/3 up, v2\.1\.0/);
  expect(tree).not.toContain('\u001b');
  expect(JSON.parse(await kubectl(['mo', 'status', 'mo', '-o', 'json']))).toMatchObject({ health: 'ok' });
  expect(await kubectl.try(['mo', 'status', 'other'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'error: there is no MatrixOne "other" in namespace default\n',
  });
  expect((await kubectl.try(['mo', 'status', '--context', 'nowhere'])).stderr).toContain('nowhere');
});

test('logs of a role, interleaved, and of what comes later', async () => {
  const logs = await kubectl(['mo', 'logs', 'mo', '--component', 'log']);
  expect(logs.match(/^\[mo-log-\d\/main\] mo-log-\d starts$/gm)?.sort()).toEqual(
    [0, 1, 2].map((i) => `[mo-log-${i}/main] mo-log-${i} starts`),
  );
  expect(logs).toContain('[mo-log-0/main] \\x1b[2Jcleared');
  const follow = kubectl.start(['mo', 'logs', 'mo', '-f', '--tail=0', '--timestamps']);
  try {
    const written = follow.until(/mo-dn-0\/main\] \d{4}-\S+Z news\n/, 30_000);
    const timer = setInterval(() => {
      for (const write of writers) write('news');
    }, 200);
    await written.finally(() => clearInterval(timer));
    const said = await follow.until(/news/);
    expect(said).not.toContain('starts');
  } finally {
    await follow.stop();
  }
});

test('who reads no more ends it, and it has not done what was asked', async () => {
  const config = join(folder, 'kubeconfig');
  await writeFile(config, cluster.kubeconfig());
  const timer = setInterval(() => {
    for (const write of writers) write('news');
  }, 200);
  const words = '"$NODE" "$PLUGIN" logs mo -f --kubeconfig "$CONFIG"';
  const env = { NODE: process.execPath, PLUGIN: join(folder, 'bin', 'kubectl-mo'), CONFIG: config };
  const run = promisify(execFile)('sh', ['-c', `{ ${words}; echo "ended with $?" >&2; } | head -n 1`], {
    env: { ...process.env, ...env },
    timeout: 50_000,
  });
  const { stderr } = await run.finally(() => clearInterval(timer));
  expect(stderr).toBe('ended with 1\n');
});

test('an empty namespace is that of the context, not all', async () => {
  const { stderr } = await kubectl.try(['mo', 'drain', '-n', '', 'nobody']);
  expect(stderr).toBe('error: there is no pod or CNSet nobody in namespace default\n');
  await kubectl(['create', 'namespace', 'other']);
  await kubectl(['apply', '-n', 'other', '-f', '-'], await readFile(example, 'utf8'));
  expect(await kubectl(['mo', 'status', '--namespace=', '--context='])).not.toContain('other/mo');
  await kubectl(['delete', 'mo', 'mo', '-n', 'other', '--wait=false']);
});

test('a node is drained and taken back', async () => {
  const name = (await kubectl(['get', 'pods', '-l', 'matrixorigin.io/component=CNSet', '-o', 'name'])).split('\n')[0];
  expect(await kubectl(['mo', 'drain', name ?? ''])).toBe(`${name} is being drained\n`);
  expect(await kubectl(['get', name ?? '', '-o', 'jsonpath={.metadata.annotations}'])).toContain('store-cordon');
  const back = await kubectl(['mo', 'undrain', name ?? '', '--wait', '--timeout', '50s']);
  expect(back).toBe(`${name} is being undrained\nthey take sessions\n`);
});
