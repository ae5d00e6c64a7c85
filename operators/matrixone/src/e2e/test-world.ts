import { readdirSync, readFileSync } from 'node:fs';
import {
  ConfigMap,
  Deployment,
  type Kind,
  Lease,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
} from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { messageOf, sleep, systemClock } from '@coxswain/runtime/core';
import { type ClusterProgram, helmFor, kubectlFor } from '@coxswain/testing';
import { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import { charts } from '../chart/test-helm.ts';
import { leaseName } from '../process/index.ts';
import { type Ground, type GroundOptions, startGround } from './test-ground.ts';

export const namespace = 'default';
const system = 'mo-system';
const deployment = 'mo-matrixone-operator';
const usual = ['webhook.createResource=false', 'replicaCount=2'];

/** What a user writes: the server fills in the rest. */
export type Spec = Omit<MatrixOneCluster['spec'], 'cnGroups' | 'proxy'> & {
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

/** All that a MatrixOne consists of. */
const kinds: readonly Kind[] = [
  MatrixOneCluster,
  LogSet,
  DNSet,
  CNSet,
  ProxySet,
  KruiseStatefulSet,
  CloneSet,
  Pod,
  Service,
  ConfigMap,
  Secret,
  PersistentVolumeClaim,
];
/** What every namespace has. */
const common = ['Service kubernetes', 'ConfigMap kube-root-ca.crt'];

/** Milliseconds between two looks. */
const look = 50;

/** How a world differs from the usual one; all of it optional. */
export interface WorldOptions extends Pick<GroundOptions, 'images' | 'podNetwork'> {
  /** Helm values of the operator. Default: no webhooks, whose certificate costs seconds and has tests of its own, and two replicas. */
  readonly values?: readonly string[];
  /** The Pod Security Standard that is enforced in the namespace of the operator; default none. */
  readonly enforce?: string;
}

/** A cluster whose containers are processes, with the operator as its chart installs it, in two replicas. */
export class ProcessWorld implements AsyncDisposable {
  readonly cluster: Ground;
  readonly helm: ClusterProgram;
  readonly kubectl: ClusterProgram;

  private constructor(cluster: Ground, helm: ClusterProgram, kubectl: ClusterProgram) {
    this.cluster = cluster;
    this.helm = helm;
    this.kubectl = kubectl;
  }

  static async start({ values = usual, enforce, ...ground }: WorldOptions = {}): Promise<ProcessWorld> {
    const cluster = await startGround(ground);
    const world = new ProcessWorld(
      cluster,
      await helmFor(cluster.kubeconfig()),
      await kubectlFor(cluster.kubeconfig()),
    );
    try {
      const labels: Record<string, string> = enforce ? { 'pod-security.kubernetes.io/enforce': enforce } : {};
      await cluster.client.of(Namespace).create({ metadata: { name: system, labels } });
      await world.helm(['install', 'mo', charts.operator, '-n', system, '--set', values.join(',')]);
      await world.until('two ready replicas of the operator', async () => {
        const { status } = await cluster.client.of(Deployment).get({ namespace: system, name: deployment });
        return status?.readyReplicas === 2 && (await world.holder()) !== undefined;
      });
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Who acts: a start of the operator in a pod. */
  async holder(): Promise<string | undefined> {
    const lease = await this.cluster.client.of(Lease).find({ namespace: system, name: leaseName });
    return lease?.spec?.holderIdentity || undefined;
  }

  /** Ends the acting operator as a crash does, so that it gives nothing up, and waits until the next one acts. */
  async replaceLeader(): Promise<void> {
    const before = await this.until('a leader', () => this.holder());
    process.kill(processOf(before.split('_')[0] ?? ''), 'SIGKILL');
    await this.until('another leader', async () => {
      const holder = await this.holder();
      return holder !== undefined && holder !== before;
    });
  }

  async create(spec: Spec = small, name = 'mo'): Promise<void> {
    const metadata = { namespace, name };
    await this.cluster.client.of(MatrixOneCluster).create({ metadata, spec: spec as MatrixOneCluster['spec'] });
  }

  /** Merges into the spec of the cluster. */
  async change(spec: object): Promise<void> {
    await this.cluster.client.of(MatrixOneCluster).patch({ namespace, name: 'mo' }, merge({ spec }));
  }

  /** Changes the group `tp` of compute nodes. */
  async changeGroup(change: object): Promise<void> {
    const { spec } = await this.mo();
    const cnGroups = spec.cnGroups?.map((group) => (group.name === 'tp' ? { ...group, ...change } : group));
    await this.change({ cnGroups });
  }

  async mo(name = 'mo'): Promise<MatrixOneCluster> {
    return this.cluster.client.of(MatrixOneCluster).get({ namespace, name });
  }

  /** Waits until the cluster is Ready and Synced at its newest generation. @returns the seconds it took */
  async settled(seconds = 60, name = 'mo'): Promise<number> {
    const began = systemClock.monotonic();
    await this.until(
      'a cluster that is as it should be',
      async () => {
        const { metadata, status } = await this.mo(name);
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

  async remove(name = 'mo'): Promise<void> {
    await this.cluster.client.of(MatrixOneCluster).delete({ namespace, name });
  }

  /** All there is in the namespace, by kind and name; empty before a cluster was made, and after it has gone. */
  async leftovers(): Promise<readonly string[]> {
    const names = async (kind: Kind) => {
      const { items } = await this.cluster.client.of(kind).list({ namespace });
      return items.map(({ metadata }) => `${kind.kind} ${metadata.name}`);
    };
    const lines = (await Promise.all(kinds.map(names))).flat();
    return lines.filter((line) => !common.includes(line));
  }

  /** Lets the program in a pod misbehave from now on, also after a restart; without words no more. */
  async misbehave(pod: string, faults = ''): Promise<void> {
    const folder = '/var/lib/matrixone/data';
    const write = `mkdir -p ${folder} && echo ${faults} > ${folder}/faults`;
    await this.kubectl(['exec', '-n', namespace, pod, '--', 'sh', '-c', write]);
  }

  /** Where sessions go. */
  async proxyAddress(name = 'mo'): Promise<string> {
    const { spec } = await this.cluster.client.of(Service).get({ namespace, name: `${name}-proxy` });
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
    return read('cmdline').some((part) => part.endsWith('/main.mjs')) && read('environ').includes(`POD_NAME=${pod}`);
  } catch {
    // ended meanwhile, or somebody else's
    return false;
  }
}
