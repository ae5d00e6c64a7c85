/** As a program: runs a cluster with one pod in a network namespace, and says which that is. */
import { readlink } from 'node:fs/promises';
import { Pod } from '@coxswain/k8s';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { childrenOf } from './node/process/container/process-tree.ts';
import { startCluster } from './start-cluster.ts';
import type { Cluster } from './types.ts';

const key = { namespace: 'default', name: 'sleeper' };

/** A pod that runs until it is stopped. */
export async function createPod(cluster: Cluster): Promise<void> {
  const containers = [{ name: 'main', image: 'busybox', command: ['sleep', '7654321'] }];
  await cluster.client.of(Pod).create({ metadata: key, spec: { containers, terminationGracePeriodSeconds: 0 } });
}

/** The pod, when its container runs for the time after so many restarts. */
export async function podOnceRunning(cluster: Cluster, restarts: number): Promise<Pod> {
  const deadline = systemClock.monotonic() + 30_000;
  for (;;) {
    const pod = await cluster.client.of(Pod).get(key);
    const [status] = pod.status?.containerStatuses ?? [];
    if (status?.state?.running && status.restartCount === restarts) return pod;
    if (systemClock.monotonic() > deadline) throw new Error(`the pod does not run: ${JSON.stringify(pod.status)}`);
    await sleep(systemClock, 20);
  }
}

const networksBelow = async (pid: number): Promise<string[]> => [
  await readlink(`/proc/${pid}/ns/net`).catch(() => ''),
  ...(await Promise.all(childrenOf(pid).map(networksBelow))).flat(),
];

if (process.argv[1] === import.meta.filename) {
  const own = await readlink('/proc/self/ns/net');
  const cluster = await startCluster({ processNodes: 1, podNetwork: 'namespaces' });
  await createPod(cluster);
  await podOnceRunning(cluster, 0);
  const others = new Set((await networksBelow(process.pid)).filter((one) => one !== '' && one !== own));
  process.stdout.write(`${JSON.stringify([...others].at(-1))}\n`);
}
