import { Node, PersistentVolumeClaim, Pod, type PodCondition, StorageClass } from '@coxswain/k8s';
import { merge, strategic } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler } from '@coxswain/runtime/controller';
import { formatTime, isConflict, keyOf, keyString, type Random } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { ignoreRace } from '../controllers/workload/tolerant.ts';
import { filters } from './filters.ts';
import type { NodeLoad } from './node-load.ts';
import type { Placements } from './placements.ts';
import { preference } from './preference.ts';
import { breaksPodAffinity, breaksSpread, type Placement } from './spread.ts';

export interface SchedulerOptions {
  /** Breaks ties between equally good nodes. */
  readonly random: Random;
  readonly recorder: EventRecorder;
  readonly placements: Placements;
}

/** Annotation by which the scheduler asks for a claim's volume on a node. */
export const selectedNode = 'volume.kubernetes.io/selected-node';

interface Candidate {
  readonly node: Node;
  readonly load: NodeLoad;
}

/** Share of the node that would be free, between 0 and 1: the emptier, the better. */
function freeShare({ load }: Candidate): number {
  const { allocatable, requested, count } = load;
  const share = (used: number, all: number) => (all > 0 ? (all - used) / all : 0);
  const free = (name: string) => share(requested.get(name) ?? 0, allocatable.get(name) ?? 0);
  return (free('cpu') + free('memory') + share(count * 1000, allocatable.get('pods') ?? 0)) / 3;
}

/** `0/3 nodes are available: 2 Insufficient cpu, 1 node(s) were unschedulable.` */
function verdict(total: number, reasons: readonly string[]): string {
  if (total === 0) return 'no nodes available to schedule pods';
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const list = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${total} nodes are available: ${list.join(', ')}.`;
}

const gated = {
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

/** Gives each pending pod a node. Works one pod at a time, so that decisions see each other. */
export class Scheduler implements Reconciler {
  readonly #options: SchedulerOptions;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  async reconcile(context: ReconcileContext): Promise<undefined> {
    const pod = context.cache.store(Pod).get(context.key);
    if (!pod || pod.spec?.nodeName || pod.metadata.deletionTimestamp) return undefined;
    if (this.#options.placements.has(pod)) return undefined;
    if (pod.spec?.schedulingGates?.length) return this.#report(context, pod, gated);
    const reasons: string[] = [];
    const waiting = this.#waitingClaims(context, pod, reasons);
    const node = reasons.length > 0 ? undefined : this.#choose(context, pod, reasons);
    if (node && waiting.length > 0) return this.#askForVolumes(context, waiting, node);
    if (node) return this.#bind(context, pod, node);
    return this.#reportUnschedulable(context, pod, reasons);
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
        .catch(ignoreRace);
    }
    return undefined;
  }

  #choose({ cache }: ReconcileContext, pod: Pod, reasons: string[]): Node | undefined {
    const { placements, random } = this.#options;
    const placement: Placement = {
      nodes: [...cache.store(Node).list()],
      podsOn: (node) => placements.podsOn(node),
      refusingOn: (node) => placements.refusingOn(node),
    };
    let best: Node[] = [];
    let bestScore = Number.NEGATIVE_INFINITY;
    for (const node of placement.nodes) {
      const load = placements.loadOf(node);
      const reason = this.#reasonAgainst(pod, node, load, placement);
      if (reason) {
        reasons.push(reason);
        continue;
      }
      const score = freeShare({ node, load }) + preference(pod, node, placement);
      if (score > bestScore) best = [];
      if (score >= bestScore) best.push(node);
      bestScore = Math.max(bestScore, score);
    }
    return best[Math.floor(random.next() * best.length)];
  }

  #reasonAgainst(pod: Pod, node: Node, load: NodeLoad, placement: Placement): string | undefined {
    for (const filter of filters) {
      const reason = filter(pod, node, load);
      if (reason) return reason;
    }
    return breaksSpread(pod, node, placement) ?? breaksPodAffinity(pod, node, placement);
  }

  async #bind({ client }: ReconcileContext, pod: Pod, node: Node): Promise<undefined> {
    const { placements, recorder } = this.#options;
    const { namespace, name } = keyOf(pod);
    placements.place(pod, node.metadata.name);
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid: pod.metadata.uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node.metadata.name },
    };
    try {
      await client.raw({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`, body });
    } catch (error) {
      placements.remove(keyString(keyOf(pod)));
      // bound by somebody else meanwhile, or being deleted: its event has come or comes
      if (isConflict(error)) return undefined;
      throw error;
    }
    recorder.event(Pod, pod, {
      reason: 'Scheduled',
      action: 'Binding',
      message: `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`,
    });
    return undefined;
  }

  async #reportUnschedulable(context: ReconcileContext, pod: Pod, reasons: readonly string[]): Promise<undefined> {
    const waitsForClaims = reasons.some((reason) => reason.includes('ersistent'));
    const message = waitsForClaims ? (reasons[0] ?? '') : verdict(context.cache.store(Node).size, reasons);
    return this.#report(context, pod, { reason: 'Unschedulable', message });
  }

  /** Says on the pod, once, why it has no node. What may change that wakes the pod: see the watches of this room. */
  async #report(
    { client, clock, key }: ReconcileContext,
    pod: Pod,
    { reason, message }: { readonly reason: string; readonly message: string },
  ): Promise<undefined> {
    const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (before?.status === 'False' && before.message === message) return undefined;
    const condition: PodCondition = {
      type: 'PodScheduled',
      status: 'False',
      reason,
      message,
      lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : formatTime(clock.now()),
    };
    const patch = strategic({ metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } });
    await client.of(Pod).patch(key, patch, { subresource: 'status' }).catch(ignoreRace);
    if (reason === 'Unschedulable')
      this.#options.recorder.event(Pod, pod, {
        type: 'Warning',
        reason: 'FailedScheduling',
        action: 'Scheduling',
        message,
      });
    return undefined;
  }
}
