import { readdirSync, readFileSync } from 'node:fs';
import { Deployment, Lease, Pod, Service } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { messageOf, sleep, systemClock } from '@coxswain/runtime/core';
import { type Cluster, type ClusterProgram, helmFor, kubectlFor, startCluster } from '@coxswain/testing';
import { MatrixOneCluster } from '../api/index.ts';
import { charts } from '../chart/test-helm.ts';
import { leaseName } from '../process/index.ts';

export const namespace = 'default';
const system = 'mo-system';
const deployment = 'mo-matrixone-operator';
/** Helm values that no test differs in: no webhooks, whose certificate costs seconds and has tests of its own. */
const fixed = ['webhook.createResource=false', 'replicaCount=2'];

/** What a user writes: the server fills in the rest. */
type Spec = Omit<MatrixOneCluster['spec'], 'cnGroups' | 'proxy'> & {
  readonly cnGroups: readonly Omit<NonNullable<MatrixOneCluster['spec']['cnGroups']>[number], 'serviceType'>[];
  readonly proxy: Omit<NonNullable<MatrixOneCluster['spec']['proxy']>, 'serviceType'>;
};

/** As small as a whole MatrixOne gets: its processes have to share a machine with the tests. */
export const small: Spec = {
  imageRepository: 'matrixorigin/matrixone',
  version: 'v4.2.0',
  logService: {
    replicas: 3,
    sharedStorage: { fileSystem: { path: '/var/lib/matrixone-shared' } },
    volume: { size: '64Mi' },
  },
  tn: { replicas: 1 },
  cnGroups: [
    {
      name: 'tp',
      replicas: 2,
      scalingConfig: { storeDrainEnabled: true, minDelaySeconds: 1, storeDrainTimeout: '2m' },
    },
  ],
  proxy: { replicas: 1 },
};

/** Milliseconds between two looks. */
const look = 50;

/** An embedded cluster whose containers are processes, with the operator as its chart installs it, in two replicas. */
export class ProcessWorld implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly helm: ClusterProgram;
  readonly kubectl: ClusterProgram;

  private constructor(cluster: Cluster, helm: ClusterProgram, kubectl: ClusterProgram) {
    this.cluster = cluster;
    this.helm = helm;
    this.kubectl = kubectl;
  }

  static async start(): Promise<ProcessWorld> {
    const cluster = await startCluster({ port: 0, processNodes: 1 });
    const world = new ProcessWorld(
      cluster,
      await helmFor(cluster.kubeconfig()),
      await kubectlFor(cluster.kubeconfig()),
    );
    try {
      const args = ['install', 'mo', charts.operator, '-n', system, '--create-namespace', '--set', fixed.join(',')];
      await world.helm(args);
      await world.until('two ready replicas of the operator', async () => {
        const { status } = await cluster.client.of(Deployment).get({ namespace: system, name: deployment });
        return status?.readyReplicas === 2 && (await world.leader()) !== undefined;
      });
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Name of the pod whose operator acts. */
  async leader(): Promise<string | undefined> {
    const lease = await this.cluster.client.of(Lease).find({ namespace: system, name: leaseName });
    const [pod] = lease?.spec?.holderIdentity?.split('_') ?? [];
    return pod || undefined;
  }

  /** Ends the acting operator as a crash does: it gives nothing up, its lease included. @returns the pod it was in */
  async killLeader(): Promise<string> {
    const leader = await this.until('a leader', () => this.leader());
    const pid = processOf(leader);
    process.kill(pid, 'SIGKILL');
    return leader;
  }

  async create(spec: Spec = small): Promise<void> {
    const metadata = { namespace, name: 'mo' };
    await this.cluster.client.of(MatrixOneCluster).create({ metadata, spec: spec as MatrixOneCluster['spec'] });
  }

  /** Merges into the spec of the cluster. */
  async change(spec: object): Promise<void> {
    await this.cluster.client.of(MatrixOneCluster).patch({ namespace, name: 'mo' }, merge({ spec }));
  }

  /** Sets how many compute nodes the only group has. */
  async scale(replicas: number): Promise<void> {
    const { spec } = await this.mo();
    const cnGroups = spec.cnGroups?.map((group) => ({ ...group, replicas }));
    await this.change({ cnGroups });
  }

  async mo(): Promise<MatrixOneCluster> {
    return this.cluster.client.of(MatrixOneCluster).get({ namespace, name: 'mo' });
  }

  /** Waits until the cluster is Ready and Synced at its newest generation. @returns the seconds it took */
  async settled(seconds = 60): Promise<number> {
    const began = systemClock.monotonic();
    await this.until(
      'a cluster that is as it should be',
      async () => {
        const { metadata, status } = await this.mo();
        const conditions = status?.conditions ?? [];
        const isTrue = (type: string) =>
          conditions.some(
            (one) => one.type === type && one.status === 'True' && one.observedGeneration === metadata.generation,
          );
        if (isTrue('Ready') && isTrue('Synced')) return true;
        throw new Error(conditions.map(({ type, reason, message }) => `${type}: ${reason}: ${message}`).join('; '));
      },
      seconds,
    );
    return (systemClock.monotonic() - began) / 1000;
  }

  /** Pods of a role that are not on their way out. */
  async pods(component: 'LogSet' | 'DNSet' | 'CNSet' | 'ProxySet'): Promise<readonly Pod[]> {
    const { items } = await this.cluster.client
      .of(Pod)
      .list({ namespace, labels: `matrixorigin.io/component=${component}` });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Where sessions go. */
  async proxyAddress(): Promise<string> {
    const { spec } = await this.cluster.client.of(Service).get({ namespace, name: 'mo-proxy' });
    return spec?.clusterIP ?? '';
  }

  /** Asks until there is an answer that holds. @throws Error with what came last, when the time is up */
  async until<T>(what: string, ask: () => Promise<T | undefined | false>, seconds = 60): Promise<T> {
    const deadline = systemClock.monotonic() + seconds * 1000;
    for (;;) {
      let problem = 'not so';
      const answer = await ask().catch((error: unknown) => {
        problem = messageOf(error);
        return undefined;
      });
      if (answer !== undefined && answer !== false) return answer;
      if (systemClock.monotonic() > deadline) throw new Error(`${what}: not within ${seconds} s: ${problem}`);
      await sleep(systemClock, look);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.helm[Symbol.asyncDispose]();
    await this.kubectl[Symbol.asyncDispose]();
    await this.cluster.stop();
  }
}

/** The process of this machine that is a pod's operator. */
function processOf(pod: string): number {
  const found = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isOperatorOf(pid, pod));
  const [pid] = found;
  if (pid === undefined || found.length > 1) throw new Error(`${found.length} processes are the operator of ${pod}`);
  return Number(pid);
}

function isOperatorOf(pid: string, pod: string): boolean {
  try {
    const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
    return read('cmdline').some((part) => part === '/manager') && read('environ').includes(`POD_NAME=${pod}`);
  } catch {
    // ended meanwhile, or somebody else's
    return false;
  }
}
