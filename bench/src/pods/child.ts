/**
 * A process of `./cox bench cluster`: `node [--expose-gc] child.ts STEP [NUMBER]`. Everything is imported before a clock starts; what it
 * has found goes to the parent as one message.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { applyManifests, loadManifests } from '@coxswain/cli';
import { startCluster } from '@coxswain/cluster';
import { StatefulSet } from '@coxswain/k8s';
import type { Memory, Pods, Servers, Sizes } from './results.ts';
import { costOf, createPods, deletePods, until } from './world.ts';

const nodes = 20;
const example = fileURLToPath(new URL('../../../examples/postgres/postgres.yaml', import.meta.url));

/** In the first moments of a process nothing is compiled yet; the second time much is. */
async function pods(count: number): Promise<Pods> {
  await using cluster = await startCluster({ nodes });
  const cold = await createPods(cluster, count);
  const gone = await deletePods(cluster);
  return { cold, gone, warm: await createPods(cluster, count) };
}

async function many(count: number): Promise<Pick<Pods, 'cold'>> {
  await using cluster = await startCluster({ nodes });
  return { cold: await createPods(cluster, count) };
}

/** What is in use, after a full collection. Events and watches of the last moments have been let go by then. */
async function memory(): Promise<Memory> {
  await setTimeout(2000);
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  const status = await readFile('/proc/self/status', 'utf8');
  const resident = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  return { heap: process.memoryUsage().heapUsed, resident };
}

async function sizes(count: number): Promise<Sizes> {
  const few = await startCluster({ nodes: 1 });
  const empty = await memory();
  await few.stop();
  await using cluster = await startCluster({ nodes: 1 + count });
  const withNodes = await memory();
  await createPods(cluster, count);
  return { count, empty, withNodes, withPods: await memory() };
}

/** CPU seconds of this process's children that have ended, and of theirs. */
async function endedCpu(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function servers(): Promise<Servers> {
  const manifests = await loadManifests([example]);
  const cluster = await startCluster({ processNodes: 1, port: 0 });
  const ready = await costOf(async () => {
    await applyManifests(cluster.client, manifests);
    await until('three PostgreSQL servers', async () => {
      const { status } = await cluster.client.of(StatefulSet).get({ namespace: 'default', name: 'pg' });
      return status?.readyReplicas === 3;
    });
  });
  const stop = await costOf(() => cluster.stop());
  return { ready, stop, processes: await endedCpu() };
}

const [step = '', count = '0'] = process.argv.slice(2);
const steps = { pods, many, sizes, servers };
if (!(step in steps)) throw new Error(`no step ${step}; there are ${Object.keys(steps).join(', ')}`);
const found = await steps[step as keyof typeof steps](Number(count));
process.send?.(found);
process.disconnect?.();
