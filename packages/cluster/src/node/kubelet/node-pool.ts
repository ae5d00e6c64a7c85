import type { Duplex } from 'node:stream';
import { Lease, Node, Pod, Service } from '@coxswain/k8s';
import { type Client, strategic } from '@coxswain/runtime/client';
import type { Controller } from '@coxswain/runtime/controller';
import { formatMicroTime, isAlreadyExists, isNotFound, keyOf, type Timer } from '@coxswain/runtime/core';
import type { Manager, Runnable } from '@coxswain/runtime/manager';
import type { NodeConnection } from '../../apiserver/index.ts';
import { controllerRecorder } from '../../controllers/workload/recorder.ts';
import { ignoreRace } from '../../controllers/workload/tolerant.ts';
import { tryAll } from '../../try-all.ts';
import type { ContainerRuntime } from '../runtime.ts';
import { PodVolumes, watchDependencies } from '../volumes/index.ts';
import { KubeletConnection } from './connection.ts';
import { Kubelet } from './kubelet.ts';
import type { ManagedNode, NodeSpec, NodeState } from './managed-node.ts';
import { nodeObject, nodeStatus } from './node-object.ts';
import { nodeServer } from './node-server.ts';
import { Sweeps } from './sweeps.ts';
import { UsageRates } from './usage-rates.ts';

export interface NodePoolOptions {
  /** Asked at the start, before any pod is looked at. */
  readonly nodes: () => Promise<readonly NodeSpec[]>;
  /** Where the nodes say how they are reached, by name. */
  readonly connections: Map<string, NodeConnection>;
  /** Connects with a port of a node. Absent: nobody listens there. */
  readonly dialNode?: (node: string, port: number, signal: AbortSignal) => Promise<Duplex>;
  /** Whether there are runtimes that read what pods are made of. */
  readonly sighted: boolean;
  /** Pods worked at the same time; default 64. */
  readonly workers?: number;
}

const leaseNamespace = 'kube-node-lease';
const leaseSeconds = 40;
/** Milliseconds. */
const heartbeat = 10_000;
/** Every so many heartbeats the status is written, too. */
const statusEvery = 30;

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** Removes a node, and the pods on it without waiting: there is nobody to stop them. */
export async function removeNode(client: Client, name: string): Promise<void> {
  await client.of(Node).delete({ name }).catch(ignoreGone);
  await client.of(Lease).delete({ namespace: leaseNamespace, name }).catch(ignoreGone);
  for await (const pod of client.of(Pod).listAll({ fields: `spec.nodeName=${name}` }))
    await client.of(Pod).delete(keyOf(pod), { gracePeriodSeconds: 0 }).catch(ignoreGone);
}

class LiveNode implements ManagedNode {
  readonly name: string;
  readonly address: string;
  readonly runtime: ContainerRuntime;
  readonly capacity: Readonly<Record<string, string>>;
  readonly kernel: string;
  readonly osImage: string;
  readonly quiet: boolean;
  readonly spec: NodeSpec;
  state: NodeState = 'up';

  constructor(spec: NodeSpec) {
    this.spec = spec;
    this.name = spec.name;
    this.address = spec.address;
    this.runtime = spec.runtime;
    this.capacity = spec.capacity;
    this.kernel = spec.kernel;
    this.osImage = spec.osImage;
    this.quiet = spec.quiet ?? false;
  }
}

/** The nodes that this process plays: registers them, keeps their leases fresh, runs their pods, and has them fail when asked to. */
export class NodePool implements Runnable {
  readonly name = 'nodes';
  readonly kubelet: Kubelet;
  readonly #manager: Manager;
  readonly #options: NodePoolOptions;
  readonly #nodes = new Map<string, LiveNode>();
  /** By node: its lease as it was written last. */
  readonly #leases = new Map<string, Lease>();
  readonly #controller: Controller;
  readonly #sweeps: Sweeps | undefined;
  #timer: Timer | undefined;
  #beats = 0;

  constructor(manager: Manager, options: NodePoolOptions) {
    this.#manager = manager;
    this.#options = options;
    const { client, cache, clock, log } = manager;
    this.kubelet = new Kubelet({
      recorder: controllerRecorder(manager, 'kubelet'),
      volumes: new PodVolumes({ client, cache, clock, log }),
      nodeOf: (name) => this.#nodes.get(name),
      touched: (key, delay) => this.#controller.enqueue(key, delay),
      gone: () => this.#sweeps?.request(),
    });
    manager.add(this);
    cache.informer(Node);
    if (options.sighted) cache.informer(Service);
    const builder = watchDependencies(manager, manager.controller(Pod, 'kubelet'));
    this.#controller = builder.options({ workers: options.workers ?? 64 }).run(this.kubelet);
    if (options.sighted) this.#sweeps = new Sweeps(manager, () => this.#runtimes);
  }

  get names(): string[] {
    return [...this.#nodes.keys()];
  }

  stateOf(name: string): NodeState | undefined {
    return this.#nodes.get(name)?.state;
  }

  async start(): Promise<void> {
    const specs = await this.#options.nodes();
    for (const spec of specs) this.#take(spec);
    await this.#sweeps?.begin();
    for (const spec of specs) await this.#register(spec);
    await this.#beat();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await tryAll([...this.#runtimes].map((runtime) => () => runtime.close()));
  }

  /** Adds a node to the cluster. */
  async join(spec: NodeSpec): Promise<void> {
    this.#take(spec);
    await this.#register(spec);
    await this.#renew(spec.name);
  }

  /** Takes a node away for good, with its pods. */
  async leave(name: string): Promise<void> {
    if (!this.#nodes.has(name)) return;
    await this.#turn(name, 'down');
    this.#nodes.delete(name);
    this.#leases.delete(name);
    await removeNode(this.#manager.client, name);
  }

  get #runtimes(): ReadonlySet<ContainerRuntime> {
    return new Set([...this.#nodes.values()].map(({ runtime }) => runtime));
  }

  /** Changes how a node is. What it has missed it catches up with. */
  async turn(name: string, state: NodeState): Promise<void> {
    const node = this.#nodes.get(name);
    if (!node) throw new Error(`there is no node ${name} here; there are ${this.names.join(', ') || 'none'}`);
    if (node.state === state) return;
    await this.#turn(name, state);
    if (state !== 'up') return;
    this.#connect(node);
    await this.#register(node.spec);
    await this.#renew(name);
    for (const pod of this.#manager.cache.store(Pod).list())
      if (pod.spec?.nodeName === name) this.#controller.enqueue(keyOf(pod));
  }

  async #turn(name: string, state: NodeState): Promise<void> {
    const node = this.#nodes.get(name);
    if (!node) return;
    node.state = state;
    this.#options.connections.delete(name);
    if (state === 'down') await this.kubelet.lose(name);
  }

  #take(spec: NodeSpec): void {
    const node = new LiveNode(spec);
    this.#nodes.set(spec.name, node);
    this.#connect(node);
  }

  #connect({ name }: LiveNode): void {
    const { connections, dialNode } = this.#options;
    const pods = () => [...this.#manager.cache.store(Pod).list()].filter(({ spec }) => spec?.nodeName === name);
    connections.set(
      name,
      new KubeletConnection({
        node: name,
        workerOf: (pod) => this.kubelet.workerOf(pod),
        serve: nodeServer({ node: name, pods }),
        rates: new UsageRates(this.#manager.clock),
        dialNode: (port, signal) =>
          dialNode?.(name, port, signal) ??
          Promise.reject(new Error(`dial tcp ${name}:${port}: connect: connection refused`)),
      }),
    );
  }

  async #register(spec: NodeSpec): Promise<void> {
    const { client, clock } = this.#manager;
    await client
      .of(Node)
      .create(nodeObject(spec))
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    await this.#writeStatus(spec, clock.now());
  }

  async #writeStatus(spec: NodeSpec, now: number): Promise<void> {
    const { client } = this.#manager;
    const before = await client.of(Node).find({ name: spec.name });
    const status = nodeStatus(spec, before?.status, now);
    await client.of(Node).patch({ name: spec.name }, strategic({ status }), { subresource: 'status' });
  }

  async #beat(): Promise<void> {
    const { clock, log } = this.#manager;
    this.#timer = clock.after(heartbeat, () => void this.#beat());
    const withStatus = ++this.#beats % statusEvery === 0;
    for (const { name, spec, state } of [...this.#nodes.values()]) {
      if (state !== 'up') continue;
      const beat = withStatus ? this.#writeStatus(spec, clock.now()).then(() => this.#renew(name)) : this.#renew(name);
      await beat.catch((error: unknown) => {
        log.warn({ node: name, error: String(error) }, 'could not renew the lease of a node');
      });
    }
  }

  /** Renews the lease as it was left the last time; looks at it first when that is not known, or somebody else has changed or deleted it. */
  async #renew(node: string): Promise<void> {
    const { client, clock } = this.#manager;
    const metadata = { namespace: leaseNamespace, name: node };
    const leases = client.of(Lease);
    const spec = { holderIdentity: node, leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(clock.now()) };
    const known = this.#leases.get(node);
    this.#leases.delete(node);
    let renewed = known && (await leases.update({ ...known, spec }).catch(ignoreRace));
    if (!renewed) {
      const found = await leases.find(metadata);
      renewed = await (found ? leases.update({ ...found, spec }) : leases.create({ metadata, spec }));
    }
    this.#leases.set(node, renewed);
  }
}
