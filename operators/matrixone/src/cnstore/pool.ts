import type { Pod } from '@coxswain/k8s';
import type { Result } from '@coxswain/runtime/controller';
import {
  ANNOTATION_DELETE_ON_RECLAIM,
  ANNOTATION_POOL_MANAGEMENT_POLICY,
  ANNOTATION_RECLAIMED_AT,
  type CNSetSpec,
  LABEL_DIRECT_POD,
  LABEL_PHASE,
  type PodPhase,
  phaseOf,
} from '../api/index.ts';
import type { Elapsed } from '../elapsed/index.ts';
import { decideDrain, drainTimeout } from './drain.ts';
import { type CnStore, type CnStoreService, noLoad, type StoreLoad } from './service.ts';

/** Milliseconds before a node is looked at again. */
const lookAgain = 5_000;

/** What a pool's node needs next: another phase and, with it, an open or closed gate; or time. */
export interface PoolStep {
  readonly phase?: PodPhase;
  /** Forgotten when the node may be claimed again. */
  readonly clearReclaimed?: boolean;
  /** Absent: the gate stays as it is. */
  readonly gate?: { readonly open: boolean; readonly reason: string };
  readonly again?: Result;
}

export interface PoolPod {
  readonly pod: Pod;
  readonly store: CnStore;
  readonly scaling: CNSetSpec['scalingConfig'];
  readonly elapsed: Elapsed;
  readonly signal: AbortSignal;
}

/** Whether a pod belongs to a pool, and so serves only when it is claimed. */
export function isPooled({ metadata }: Pod): boolean {
  return metadata.annotations?.[ANNOTATION_POOL_MANAGEMENT_POLICY] === 'Pooling';
}

const opened = { open: true, reason: 'CNStoreReady' } as const;

/** What the node of a pool needs next (`spec/matrixone.md` §2.13, pool phases). */
export async function poolStep(service: CnStoreService, node: PoolPod): Promise<PoolStep> {
  switch (phaseOf(node.pod)) {
    case 'Unknown':
      return (await isRegistered(service, node))
        ? { phase: 'Idle', gate: opened }
        : { gate: { open: false, reason: 'CNStoreNotRegistered' }, again: { requeueAfter: lookAgain } };
    case 'Idle':
    case 'Bound':
      return { gate: opened };
    case 'Draining':
      return drainStep(service, node);
    case 'Terminating':
      return {};
  }
}

async function isRegistered(service: CnStoreService, { pod, store, signal }: PoolPod): Promise<boolean> {
  if (service.describe) return (await service.describe(store, signal)) !== undefined;
  return pod.status?.conditions?.some(({ type, status }) => type === 'ContainersReady' && status === 'True') ?? false;
}

async function drainStep(
  service: CnStoreService,
  { pod, store, scaling, elapsed: time, signal }: PoolPod,
): Promise<PoolStep> {
  const reclaimedAt = pod.metadata.annotations?.[ANNOTATION_RECLAIMED_AT];
  if (reclaimedAt === undefined) return { phase: 'Idle' };
  const elapsed = time.since(`${pod.metadata.uid} reclaimed`, reclaimedAt);
  // Before the node is asked: one that does not answer must not stay for ever.
  if (elapsed > drainTimeout(scaling)) return { phase: 'Terminating' };
  return drained(pod, scaling, elapsed, await service.load(store, signal));
}

function drained(
  pod: Pod,
  scaling: CNSetSpec['scalingConfig'],
  elapsed: number,
  load: StoreLoad | undefined,
): PoolStep {
  const decision = decideDrain({ scaling, elapsed, load: load ?? noLoad });
  if (decision.kind === 'wait') return { again: { requeueAfter: decision.after } };
  const { annotations, labels } = pod.metadata;
  const goes = annotations?.[ANNOTATION_DELETE_ON_RECLAIM] !== undefined || labels?.[LABEL_DIRECT_POD] !== undefined;
  return goes ? { phase: 'Terminating' } : { phase: 'Idle', clearReclaimed: true };
}

/** The labels and annotations that a step asks for. */
export function changeOf({ phase, clearReclaimed }: PoolStep) {
  return {
    ...(phase ? { labels: { [LABEL_PHASE]: phase } } : {}),
    ...(clearReclaimed ? { annotations: { [ANNOTATION_RECLAIMED_AT]: null } } : {}),
  };
}
