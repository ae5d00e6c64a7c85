import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Node } from '@coxswain/k8s';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { endsWithParent } from '@coxswain/testing/processes';
import { expect, test } from 'vitest';
import { namespacesAllowed, whyNot } from './node/network/namespaces/test-allowed.ts';
import { startCluster } from './start-cluster.ts';
import { createPod, podOnceRunning } from './test-pod-network.ts';

const namespaces = { processNodes: 1, podNetwork: 'namespaces' } as const;

test.each([
  [{ podNetwork: 'namespaces' }, 'on process-backed nodes only'],
  [{ processNodes: 1, podCIDR: '10.9.0.0/16' }, 'in the pod network `namespaces` only'],
  [{ ...namespaces, podCIDR: '127.9.0.0/16' }, '127.0.0.0/8 is not for pods'],
] as const)('a pod network that cannot be is refused: %j', async (options, why) => {
  await expect(startCluster(options)).rejects.toThrow(why);
});

test('where namespaces are not allowed there is no cluster, and no process is left of it', async () => {
  const path = process.env['PATH'];
  const keepers = async () => (await processesWith(`coxswain-nodes-${process.pid}-`)).length;
  const before = await keepers();
  process.env['PATH'] = '/nowhere';
  try {
    await expect(startCluster(namespaces)).rejects.toThrow(
      /^pods cannot have network namespaces: .*\. It takes unshare, nsenter and ip, and root .* \(the pod network `loopback`\)$/,
    );
  } finally {
    process.env['PATH'] = path;
  }
  expect(await keepers()).toBe(before);
});

test('pods keep their addresses over a restart; a data directory keeps its pod network', async ({ skip }) => {
  skip(!namespacesAllowed, whyNot);
  const dataDir = await mkdtemp(join(tmpdir(), 'coxswain-pod-network-'));
  for (const round of [1, 2]) {
    await using cluster = await startCluster({ ...namespaces, dataDir });
    if (round === 1) await createPod(cluster);
    expect((await podOnceRunning(cluster, round - 1)).status?.podIP).toBe('10.244.0.1');
    const node = await cluster.client.of(Node).get({ name: 'process-1' });
    expect(node.spec?.podCIDR).toBe('10.244.0.0/24');
  }
  for (const options of [{ processNodes: 1 }, { ...namespaces, podCIDR: '10.9.0.0/16' }])
    await expect(startCluster({ ...options, dataDir })).rejects.toThrow(
      'the pods of node process-1 have addresses of 10.244.0.0/24 in this data directory',
    );
  await rm(dataDir, { recursive: true });
});

test('a cluster that is killed takes the networks of its pods along', async ({ skip }) => {
  skip(!namespacesAllowed, whyNot);
  const program = new URL('./test-pod-network.ts', import.meta.url).pathname;
  const cluster = spawn(...endsWithParent(process.execPath, [program]), { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(cluster.stdout.setEncoding('utf8'), 'data')) as [string];
  const network = JSON.parse(line) as string;
  expect((await inNetworks()).has(network)).toBe(true);
  cluster.kill('SIGKILL');
  const deadline = systemClock.monotonic() + 20_000;
  while ((await inNetworks()).has(network)) {
    if (systemClock.monotonic() > deadline) throw new Error(`somebody is left in ${network}`);
    await sleep(systemClock, 20);
  }
});

/** Processes whose parameters have a text. */
async function processesWith(text: string): Promise<string[]> {
  const all = (await readdir('/proc')).filter((pid) => /^\d+$/.test(pid));
  const words = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return all.filter((_, i) => words[i]?.includes(text));
}

/** The network namespaces that processes are in. */
async function inNetworks(): Promise<ReadonlySet<string>> {
  const all = (await readdir('/proc')).filter((pid) => /^\d+$/.test(pid));
  return new Set(await Promise.all(all.map((pid) => readlink(`/proc/${pid}/ns/net`).catch(() => ''))));
}
