import { Node, PersistentVolumeClaim, Pod, type PodCondition, StorageClass } from '@coxswain/k8s';
import { merge, strategic } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler } from '@coxswain/runtime/controller';
import { formatTime, isConflict, isNotFound, keyOf, keyString, type Random } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { filters } from './filters.ts';
import { type NodeLoad, nodeLoad } from './node-load.ts';
import { breaksPodAffinity, breaksSpread, type Placement } from './spread.ts';

export interface SchedulerOptions {
  /** Breaks ties between equally good nodes. */
  readonly random: Random;
  readonly recorder: EventRecorder;
}

/** Index of pods by their node. */
export const podsByNode = 'spec.nodeName';

const retryAfter = 60_000;

/** Annotation by which the scheduler asks for a claim's volume on a node. */
export const selectedNode = 'volume.kubernetes.io/selected-node';

interface Candidate {
  readonly node: Node;
  readonly load: NodeLoad;
}

/** Share of the node that would be free, between 0 and 1: the emptier, the better. */
function freeShare({ load }: Candidate): number {
  const { allocatable } = load;
  const share = (used: number, all: number) => (all > 0 ? (all - used) / all : 0);
  return (
    (share(load.cpu, allocatable.cpu) + share(load.memory, allocatable.memory) + share(load.pods, allocatable.pods)) / 3
  );
}

/** `0/3 nodes are available: 2 Insufficient cpu, 1 node(s) were unschedulable.` */
function verdict(total: number, reasons: readonly string[]): string {
  if (total === 0) return 'no nodes available to schedule pods';
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const list = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${total} nodes are available: ${list.join(', ')}.`;
}

/** Gives each pending pod a node. Works one pod at a time, so that decisions see each other. */
export class Scheduler implements Reconciler {
  readonly #options: SchedulerOptions;
  /** Decisions that the pod store does not show yet: pod → node. */
  readonly #assumed = new Map<string, { readonly pod: Pod; readonly node: string }>();

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  async reconcile(context: ReconcileContext): Promise<{ requeueAfter: number } | undefined> {
    const pod = context.cache.store(Pod).get(context.key);
    const name = keyString(context.key);
    if (!pod || pod.spec?.nodeName || pod.metadata.deletionTimestamp) {
      this.#assumed.delete(name);
      return undefined;
    }
    if (this.#assumed.get(name)?.pod.metadata.uid === pod.metadata.uid) return undefined;
    const reasons: string[] = [];
    const waiting = this.#waitingClaims(context, pod, reasons);
    const node = reasons.length > 0 ? undefined : this.#choose(context, pod, reasons);
    if (node && waiting.length > 0) return this.#askForVolumes(context, waiting, node);
    if (node) return this.#bind(context, pod, node, name);
    await this.#reportUnschedulable(context, pod, reasons);
    return { requeueAfter: retryAfter };
  }

  /** The pod's claims that get their volume only once a node is chosen; anything else that is missing is a reason. */
  #waitingClaims({ cache }: ReconcileContext, pod: Pod, reasons: string[]): PersistentVolumeClaim[] {
    const namespace = pod.metadata.namespace ?? '';
    const waiting: PersistentVolumeClaim[] = [];
    for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
      if (!persistentVolumeClaim) continue;
      const claim = cache.store(PersistentVolumeClaim).get({ namespace, name: persistentVolumeClaim.claimName });
      const storageClass = claim && cache.store(StorageClass).get({ name: claim.spec?.storageClassName ?? '' });
      if (!claim) reasons.push(`persistentvolumeclaim "${persistentVolumeClaim.claimName}" not found`);
      else if (claim.status?.phase === 'Bound') continue;
      else if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer') waiting.push(claim);
      else reasons.push('pod has unbound immediate PersistentVolumeClaims');
    }
    return waiting;
  }

  /** Tells the volume controller the node; the claims' events bring the pod back. */
  async #askForVolumes(
    { client }: ReconcileContext,
    claims: readonly PersistentVolumeClaim[],
    node: Node,
  ): Promise<undefined> {
    for (const claim of claims) {
      if (claim.metadata.annotations?.[selectedNode]) continue;
      const annotations = { [selectedNode]: node.metadata.name };
      await client
        .of(PersistentVolumeClaim)
        .patch(keyOf(claim), merge({ metadata: { uid: claim.metadata.uid, annotations } }))
        .catch((error: unknown) => {
          if (!isNotFound(error) && !isConflict(error)) throw error;
        });
    }
    return undefined;
  }

  #placement({ cache }: ReconcileContext): Placement {
    const pods = cache.store(Pod);
    for (const [name, { pod }] of this.#assumed) if (pods.get(keyOf(pod))?.spec?.nodeName) this.#assumed.delete(name);
    const assumed = [...this.#assumed.values()];
    return {
      nodes: [...cache.store(Node).list()],
      podsOn: (node) => [
        ...pods.by(podsByNode, node.metadata.name),
        ...assumed.filter((one) => one.node === node.metadata.name).map((one) => one.pod),
      ],
    };
  }

  #choose(context: ReconcileContext, pod: Pod, reasons: string[]): Node | undefined {
    const placement = this.#placement(context);
    let best: Candidate[] = [];
    let bestShare = -1;
    for (const node of placement.nodes) {
      const load = nodeLoad(node, placement.podsOn(node));
      const reason = this.#reasonAgainst(pod, node, load, placement);
      if (reason) {
        reasons.push(reason);
        continue;
      }
      const share = freeShare({ node, load });
      if (share > bestShare) best = [];
      if (share >= bestShare) best.push({ node, load });
      bestShare = Math.max(bestShare, share);
    }
    return best[Math.floor(this.#options.random.next() * best.length)]?.node;
  }

  #reasonAgainst(pod: Pod, node: Node, load: NodeLoad, placement: Placement): string | undefined {
    for (const filter of filters) {
      const reason = filter(pod, node, load);
      if (reason) return reason;
    }
    return breaksSpread(pod, node, placement) ?? breaksPodAffinity(pod, node, placement);
  }

  async #bind({ client }: ReconcileContext, pod: Pod, node: Node, name: string): Promise<undefined> {
    this.#assumed.set(name, { pod, node: node.metadata.name });
    const { namespace, name: podName } = keyOf(pod);
    const path = `/api/v1/namespaces/${namespace}/pods/${podName}/binding`;
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: podName, namespace, uid: pod.metadata.uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node.metadata.name },
    };
    try {
      await client.raw({ method: 'POST', path, body });
      this.#options.recorder.event(Pod, pod, {
        reason: 'Scheduled',
        action: 'Binding',
        message: `Successfully assigned ${name} to ${node.metadata.name}`,
      });
    } catch (error) {
      this.#assumed.delete(name);
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return undefined;
  }

  async #reportUnschedulable(
    { client, cache, clock, key }: ReconcileContext,
    pod: Pod,
    reasons: readonly string[],
  ): Promise<void> {
    const waitsForClaims = reasons.some((reason) => reason.includes('ersistent'));
    const message = waitsForClaims ? (reasons[0] ?? '') : verdict(cache.store(Node).size, reasons);
    const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (before?.status === 'False' && before.message === message) return;
    const condition: PodCondition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastTransitionTime: formatTime(clock.now()),
    };
    await client
      .of(Pod)
      .patch(key, strategic({ status: { conditions: [condition] } }), { subresource: 'status' })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    this.#options.recorder.event(Pod, pod, {
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      message,
    });
  }
}
