import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Cluster, startCluster } from '@coxswain/cluster';
import { Deployment, type Kind, type KubeObject, Lease, Node, Pod, Secret } from '@coxswain/k8s';
import { MatrixOneCluster } from '@coxswain/operator-matrixone';
import { merge } from '@coxswain/runtime/client';
import { messageOf, sleep, systemClock } from '@coxswain/runtime/core';
import { helmFor } from '@coxswain/testing';
import { cpuMs, type Memory, memoryOf } from '../process.ts';
import { clusterName, indexIn, Keepers } from './keepers.ts';
import { countRequests, type Requests } from './requests.ts';
import type { Trace } from './trace.ts';

const chart = fileURLToPath(new URL('../../../charts/matrixone-operator', import.meta.url));
const system = 'mo-system';
const deployment = 'mo-matrixone-operator';
const namespace = 'default';
/** Pods that a node takes; one cluster has 8 at most, for a moment 9. */
const podsOnNode = 100;
const podsOfCluster = 9;
/** Milliseconds between two looks. */
const look = 10;

/** What is wanted of a cluster at a moment. */
export interface Wanted {
  /** Of the one group of compute nodes. */
  readonly nodes: number;
  /** Of MatrixOne. */
  readonly version: string;
}

/** What a process has used: milliseconds of CPU since its start, and MiB of memory. */
export interface Used extends Memory {
  readonly cpu: number;
  /** The most it ever had resident. */
  readonly peak: number;
}

/** An embedded cluster with simulated nodes for databases, and one that runs processes for the operator, as its chart installs it. */
export class World implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly #keepers: Keepers;
  readonly #watches = new AbortController();
  readonly #clusters = new Map<number, MatrixOneCluster>();
  readonly #pods = new Map<number, Map<string, Pod>>();
  readonly requests: () => Requests;
  #pod = '';
  #pid = 0;
  /** Why one of the watches ended. */
  #broken: unknown;

  private constructor(cluster: Cluster, keepers: Keepers) {
    this.cluster = cluster;
    this.#keepers = keepers;
    this.requests = countRequests(cluster, `system:serviceaccount:${system}:${deployment}`);
  }

  /**
   * @param count of the clusters to come
   * @param trace gets the operator's requests
   */
  static async start(count: number, trace?: Trace): Promise<World> {
    const nodes = Math.ceil((count * podsOfCluster) / podsOnNode);
    const cluster = await startCluster({ port: 0, processNodes: 1, nodes: Math.max(nodes, 3) });
    const world = new World(cluster, await Keepers.start(count));
    try {
      const keys = { AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' };
      await cluster.client.of(Secret).create({ metadata: { namespace, name: 'minio' }, stringData: keys });
      await world.#install(trace);
      await world.#follow(MatrixOneCluster, (one) => world.#clusters.set(indexIn(one.metadata.name), one));
      await world.#follow(Pod, (pod, type) => world.#onPod(pod, type));
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #install(trace?: Trace): Promise<void> {
    await this.#schedule((isProcess) => isProcess);
    await using helm = await helmFor(this.cluster.kubeconfig());
    const { nodeOptions } = this.#keepers;
    const options = trace ? `${nodeOptions} ${trace.nodeOptions}` : nodeOptions;
    const values = JSON.stringify({ env: { NODE_OPTIONS: options } });
    await helm(['install', 'mo', chart, '-n', system, '--create-namespace', '-f', '-'], values);
    await this.until(
      () => 'the operator',
      async () => {
        const lease = await this.cluster.client.of(Lease).list({ namespace: system });
        const { status } = await this.cluster.client.of(Deployment).get({ namespace: system, name: deployment });
        return status?.readyReplicas === 1 && lease.items.some(({ spec }) => spec?.holderIdentity);
      },
    );
    const [pod] = (await this.cluster.client.of(Pod).list({ namespace: system })).items;
    this.#pod = pod?.metadata.name ?? '';
    this.#pid = processOf(this.#pod);
    await this.#schedule((isProcess) => !isProcess);
  }

  /** Lets pods only on nodes that simulate, or only on the one that does not. */
  async #schedule(takes: (isProcess: boolean) => boolean): Promise<void> {
    const nodes = this.cluster.client.of(Node);
    for (const { metadata, status } of (await nodes.list()).items) {
      const isProcess = status?.nodeInfo?.containerRuntimeVersion?.includes('process') ?? false;
      await nodes.patch({ name: metadata.name }, merge({ spec: { unschedulable: !takes(isProcess) } }));
    }
  }

  async #follow<T extends KubeObject>(kind: Kind<T>, see: (object: T, type: string) => void): Promise<void> {
    const { signal } = this.#watches;
    const stream = await this.cluster.client.of(kind).watch({ namespace, sendInitialEvents: true, signal });
    const read = async () => {
      for await (const events of stream)
        for (const event of events)
          if (event.type !== 'ERROR' && event.type !== 'BOOKMARK') see(event.object, event.type);
    };
    read().catch((error: unknown) => {
      if (!signal.aborted) this.#broken = error;
    });
  }

  #onPod(pod: Pod, type: string): void {
    const index = indexIn(pod.metadata.name);
    const pods = this.#pods.get(index) ?? new Map<string, Pod>();
    this.#pods.set(index, pods);
    if (type === 'DELETED') pods.delete(pod.metadata.name);
    else pods.set(pod.metadata.name, pod);
    this.#keepers.see(pod);
  }

  async create(index: number, { nodes, version }: Wanted): Promise<void> {
    const metadata = { name: clusterName(index), namespace };
    await this.cluster.client.of(MatrixOneCluster).create({ metadata, spec: specOf(index, nodes, version) });
  }

  async change(index: number, { nodes, version }: Wanted): Promise<void> {
    const spec = specOf(index, nodes, version);
    const key = { name: clusterName(index), namespace };
    await this.cluster.client.of(MatrixOneCluster).patch(key, merge({ spec }));
  }

  /** Whether a cluster says that it is as is wanted, and its pods are. */
  isSettled(index: number, { nodes, version }: Wanted): boolean {
    const cluster = this.#clusters.get(index);
    const conditions = cluster?.status?.conditions ?? [];
    const holds = (type: string) =>
      conditions.some(
        (one) => one.type === type && one.status === 'True' && one.observedGeneration === cluster?.metadata.generation,
      );
    if (!holds('Ready') || !holds('Synced')) return false;
    const pods = [...(this.#pods.get(index)?.values() ?? [])];
    return pods.length === 4 + nodes && pods.every((pod) => runs(pod, version));
  }

  /** What a cluster says, and its pods are. */
  describe(index: number): string {
    const { status } = this.#clusters.get(index) ?? {};
    const pods = [...(this.#pods.get(index)?.values() ?? [])];
    const conditions = status?.conditions?.map(({ type, message }) => `${type}: ${message}`) ?? ['no word'];
    return [...conditions, ...pods.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`)].join('; ');
  }

  /** What the operator's process has used until now. */
  async used(): Promise<Used> {
    const status = await readFile(`/proc/${this.#pid}/status`, 'utf8').catch(async () => {
      const said = this.cluster.client.raw({
        method: 'GET',
        path: `/api/v1/namespaces/${system}/pods/${this.#pod}/log`,
        query: { previous: 'true', tailLines: '5' },
      });
      throw new Error(`the operator has ended; it last said: ${await said.catch(messageOf)}`);
    });
    const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
    return { cpu: await cpuMs(this.#pid), peak, ...(await memoryOf(this.#pid)) };
  }

  /** @param what is waited for, told when it does not come */
  async until(what: () => string, holds: () => Promise<boolean> | boolean, seconds = 120): Promise<void> {
    const deadline = systemClock.monotonic() + seconds * 1000;
    while (!(await holds())) {
      if (this.#broken) throw this.#broken;
      if (systemClock.monotonic() > deadline) throw new Error(`${what()}: not within ${seconds} s`);
      await sleep(systemClock, look);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watches.abort();
    await this.cluster.stop();
    await this.#keepers.stop();
  }
}

/** As the recorded clusters of the upstream operator: 3 log stores, a transaction node, a group of compute nodes, S3, no proxy. */
function specOf(index: number, nodes: number, version: string): MatrixOneCluster['spec'] {
  const volume = { size: '10Gi' };
  const s3 = {
    type: 'minio',
    path: `bench/${clusterName(index)}`,
    endpoint: 'http://minio.store:9000',
    secretRef: { name: 'minio' },
  };
  const spec = {
    imageRepository: 'matrixorigin/matrixone',
    version,
    logService: { replicas: 3, sharedStorage: { s3 }, volume },
    tn: { replicas: 1, cacheVolume: volume },
    cnGroups: [{ name: 'tp', replicas: nodes, cacheVolume: volume }],
  };
  // As a user writes it: the server and the webhooks fill in the rest.
  return spec as unknown as MatrixOneCluster['spec'];
}

function runs({ metadata, spec, status }: Pod, version: string): boolean {
  if (metadata.deletionTimestamp || !status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True'))
    return false;
  return spec?.containers.some(({ image }) => image?.endsWith(`:${version}`)) ?? false;
}

/** The process of this machine that is a pod's operator. */
function processOf(pod: string): number {
  const isIt = (pid: string): boolean => {
    try {
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
      return read('cmdline').some((part) => part.endsWith('/main.mjs')) && read('environ').includes(`POD_NAME=${pod}`);
    } catch {
      return false; // ended meanwhile, or somebody else's
    }
  };
  const found = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isIt(pid));
  if (found.length !== 1) throw new Error(`${found.length} processes are the operator of the pod ${pod}`);
  return Number(found[0]);
}
