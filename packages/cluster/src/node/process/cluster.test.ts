import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Event, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { sleep, systemClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../../index.ts';

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coxswain-cluster-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const key = (name: string) => ({ namespace: 'default', name });

/** Asks until the answer is there. */
async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = systemClock.monotonic() + 30_000;
  while (systemClock.monotonic() < deadline) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await sleep(systemClock, 20);
  }
  throw new Error(`${what}: not within 30 s`);
}

const running = (cluster: Cluster, name: string, runs: number) =>
  until(`run ${runs} of ${name}`, async () => {
    const pod = await cluster.client.of(Pod).get(key(name));
    const [status] = pod.status?.containerStatuses ?? [];
    return status?.state?.running && status.restartCount === runs && status.ready ? status : undefined;
  });

async function createStore({ client }: Cluster): Promise<void> {
  await client.of(PersistentVolumeClaim).create({
    metadata: key('data'),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
  });
  const script = 'echo run >> /data/runs; echo "runs: $(wc -l < /data/runs)"; touch /tmp/ready; sleep 10000 & wait';
  await client.of(Pod).create({
    metadata: key('store'),
    spec: {
      containers: [
        {
          name: 'main',
          image: 'busybox',
          command: ['sh', '-c', script],
          readinessProbe: { exec: { command: ['test', '-e', '/tmp/ready'] }, periodSeconds: 1 },
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
}

test('pods of process-backed nodes run, are started again, and have their volumes after a restart of the cluster', async () => {
  {
    await using cluster = await startCluster({ processNodes: 1, dataDir });
    expect(cluster.nodes.names).toEqual(['process-1']);
    await createStore(cluster);
    const first = await running(cluster, 'store', 0);
    expect(first.containerID).toMatch(/^process:\/\/[0-9a-f]{64}$/);
    await cluster.client.of(Pod).create({
      metadata: key('odd'),
      spec: { containers: [{ name: 'odd', image: 'buzybox' }] },
    });
    await until('an event of the image', async () => {
      for await (const { note, reason } of cluster.client.of(Event).listAll())
        if (reason === 'Failed' && note?.includes('names that are near: busybox')) return true;
      return undefined;
    });
    await cluster.client.of(Pod).delete(key('odd'));
  }
  await using cluster = await startCluster({ processNodes: 1, dataDir });
  await running(cluster, 'store', 1);
  const logs = join(dataDir, 'nodes', 'logs');
  const [pod = ''] = (await readdir(logs)).filter((name) => name.startsWith('default_store_'));
  expect(await readFile(join(logs, pod, 'main', '1.log'), 'utf8')).toMatch(/ stdout F runs: 2\n$/);
  await cluster.client.of(Pod).delete(key('store'), { gracePeriodSeconds: 0 });
  await cluster.client.of(PersistentVolumeClaim).delete(key('data'));
  await until('the end of the volume', async () =>
    (await readdir(join(dataDir, 'nodes', 'volumes'))).length === 0 ? true : undefined,
  );
  await until('the end of the pods', async () =>
    (await readdir(join(dataDir, 'nodes', 'pods'))).length === 0 ? true : undefined,
  );
});
