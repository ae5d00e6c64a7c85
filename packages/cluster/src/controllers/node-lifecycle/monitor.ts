import { Lease, Node, Pod } from '@coxswain/k8s';
import type { Informer } from '@coxswain/runtime/cache';
import { strategic } from '@coxswain/runtime/client';
import { formatTime, keyOf, type Timer } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import type { Manager, Runnable } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../workload/recorder.ts';
import { ignoreRace, isRace } from '../workload/tolerant.ts';
import { NodeHealth, readyOf, unknownConditions } from './health.ts';
import { changeTaints, hasTaint, notReadyTaint, unreachableTaint } from './taints.ts';
import { Zones } from './zones.ts';

/** Milliseconds between two looks at all nodes. */
const period = 5_000;
const defaultGracePeriod = 50_000;
const startupGracePeriod = 60_000;
const leaseNamespace = 'kube-node-lease';
const podsByNode = 'node-lifecycle';

/** Looks at all nodes every few seconds: says of silent ones that they are unknown, and marks those whose pods are to leave. */
export class NodeMonitor implements Runnable {
  readonly name = 'node-monitor';
  readonly #manager: Manager;
  readonly #recorder: EventRecorder;
  readonly #health: NodeHealth;
  readonly #zones = new Zones();
  /** Nodes seen before. */
  readonly #known = new Map<string, Node>();
  /** Nodes whose pods could not all be marked. */
  readonly #again = new Set<string>();
  #informers: { nodes: Informer<Node>; leases: Informer<Lease>; pods: Informer<Pod> } | undefined;
  #timer: Timer | undefined;
  #stopped = false;
  #busy = false;
  #look: Promise<void> = Promise.resolve();

  constructor(manager: Manager, gracePeriod = defaultGracePeriod) {
    this.#manager = manager;
    this.#recorder = controllerRecorder(manager, 'node-controller');
    this.#health = new NodeHealth({ gracePeriod, startupGracePeriod: Math.max(gracePeriod, startupGracePeriod) });
  }

  get idle(): boolean {
    return !this.#busy;
  }

  async start(): Promise<void> {
    const { cache } = this.#manager;
    const informers = {
      nodes: cache.informer(Node),
      leases: cache.informer(Lease, { namespace: leaseNamespace }),
      pods: cache.informer(Pod),
    };
    this.#informers = informers;
    informers.pods.addIndex(podsByNode, ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
    await Promise.all(Object.values(informers).map(({ synced }) => synced));
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#look;
    for (const informer of Object.values(this.#informers ?? {})) informer.release();
  }

  #arm(): void {
    if (this.#stopped) return;
    this.#timer = this.#manager.clock.after(period, () => {
      this.#busy = true;
      this.#look = this.#lookAtAll().finally(() => {
        this.#busy = false;
        this.#arm();
      });
    });
  }

  async #lookAtAll(): Promise<void> {
    const { log } = this.#manager;
    const nodes = [...(this.#informers?.nodes.store.list() ?? [])];
    this.#tellOfComings(nodes);
    this.#zones.look(nodes);
    for (const node of nodes) {
      if (this.#stopped) return;
      try {
        await this.#lookAt(node);
      } catch (error) {
        if (!isRace(error)) log.error({ node: node.metadata.name, err: error }, 'a node was not looked after');
      }
    }
  }

  #tellOfComings(nodes: readonly Node[]): void {
    const there = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const node of nodes) {
      const { name, uid } = node.metadata;
      const before = this.#known.get(name);
      if (before?.metadata.uid === uid) continue;
      if (before) this.#health.forget(name);
      this.#known.set(name, node);
      this.#event(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
    }
    for (const [name, node] of this.#known) {
      if (there.has(name)) continue;
      this.#known.delete(name);
      this.#health.forget(name);
      this.#again.delete(name);
      this.#event(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
    }
  }

  async #lookAt(observed: Node): Promise<void> {
    const { name } = observed.metadata;
    const wasReady = readyOf(observed)?.status === 'True';
    const node = await this.#withHealth(observed);
    const ready = readyOf(node)?.status;
    if (ready === undefined) return;
    await this.#markForEviction(node, ready);
    if (ready !== 'True' && wasReady) {
      this.#event(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
      this.#again.add(name);
    }
    // pods are marked when the node falls silent, and again until all of them are
    if (ready !== 'True' && this.#again.has(name)) await this.#markPods(name);
    this.#again.delete(name);
  }

  /** The node with its conditions as they are to be. */
  async #withHealth(node: Node): Promise<Node> {
    const { client, clock } = this.#manager;
    const { name, creationTimestamp, uid } = node.metadata;
    const lease = this.#informers?.leases.store.get({ namespace: leaseNamespace, name });
    const age = creationTimestamp ? clock.now() - Date.parse(creationTimestamp) : 0;
    if (!this.#health.isSilent(node, lease, clock.monotonic(), age)) return node;
    const conditions = unknownConditions(node, clock.now());
    if (!conditions) return node;
    const patch = strategic({ metadata: { uid }, status: { conditions } });
    return client.of(Node).patch({ name }, patch, { subresource: 'status' });
  }

  async #markForEviction(node: Node, ready: string): Promise<void> {
    const both = [notReadyTaint, unreachableTaint];
    if (ready === 'True' || this.#zones.allDown) {
      await changeTaints(this.#manager, node, 'NoExecute', { add: [], remove: both });
      return;
    }
    const [add, remove] = ready === 'False' ? both : both.toReversed();
    if (add === undefined || remove === undefined || hasTaint(node, add, 'NoExecute')) return;
    const marked = hasTaint(node, remove, 'NoExecute');
    if (!marked && !this.#zones.mayGiveUp(node, this.#manager.clock.monotonic())) return;
    await changeTaints(this.#manager, node, 'NoExecute', { add: [add], remove: [remove] });
  }

  async #markPods(node: string): Promise<void> {
    const { client, clock } = this.#manager;
    for (const pod of [...(this.#informers?.pods.store.by(podsByNode, node) ?? [])]) {
      const condition = pod.status?.conditions?.find(({ type }) => type === 'Ready');
      if (condition?.status !== 'True') continue;
      const changed = { ...condition, status: 'False', lastTransitionTime: formatTime(clock.now()) };
      const patch = strategic({ metadata: { uid: pod.metadata.uid }, status: { conditions: [changed] } });
      const done = await client.of(Pod).patch(keyOf(pod), patch, { subresource: 'status' }).catch(ignoreRace);
      const details = { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' } as const;
      if (done) this.#recorder.event(Pod, pod, details);
    }
  }

  #event(node: Node, reason: string, message: string): void {
    this.#recorder.event(Node, node, { reason, message });
  }
}
