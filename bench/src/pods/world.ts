import type { startCluster } from '@coxswain/cluster';
import { Deployment, Pod } from '@coxswain/k8s';

type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Wall and CPU seconds (user and system, all threads) of a step. */
export interface Cost {
  readonly seconds: number;
  readonly cpu: number;
}

const namespace = 'default';
const labels = { app: 'web' };
const name = 'web';
/** Milliseconds between looks. A look is one GET in this process, so few of them. */
const lookEvery = 50;
const longest = 600_000;

/** Runs a step and says what it cost this process. */
export async function costOf(step: () => Promise<unknown>): Promise<Cost> {
  const [since, cpu] = [performance.now(), process.cpuUsage()];
  await step();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - since) / 1000, cpu: (user + system) / 1e6 };
}

/** Waits until a look answers true. @throws Error after ten minutes */
export async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + longest;
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${longest / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, lookEvery));
  }
}

/** A Deployment of so many pods on simulated nodes: from its creation until its status says that all are ready. */
export function createPods({ client }: Cluster, replicas: number): Promise<Cost> {
  return costOf(async () => {
    await client.of(Deployment).create({
      metadata: { namespace, name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      },
    });
    await until(`${replicas} pods ready`, async () => {
      const { status } = await client.of(Deployment).get({ namespace, name });
      return status?.readyReplicas === replicas;
    });
  });
}

/** The Deployment goes, until its last pod has. */
export function deletePods({ client }: Cluster): Promise<Cost> {
  return costOf(async () => {
    await client.of(Deployment).delete({ namespace, name });
    await until('all pods gone', async () => (await client.of(Pod).list({ namespace, limit: 1 })).items.length === 0);
  });
}
