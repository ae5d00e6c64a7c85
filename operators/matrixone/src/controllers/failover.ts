import { Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { parseDuration, parseTime } from '@coxswain/runtime/core';
import { ANNOTATION_CONFIRM_FAILOVER, type LogSet, type LogSetSpec } from '../api/index.ts';
import { ordinalOf, type StoreStatus, storesStatus, untilFailed } from './store-status.ts';

/** What is to be done about failed log stores. */
export type FailoverDecision =
  /** All stores are up. */
  | { readonly kind: 'none' }
  /** Some are down, none for long enough; look again in `after` milliseconds. */
  | { readonly kind: 'wait'; readonly after: number }
  /** `victim` is to be replaced by a store of another ordinal; by a person's word or without. */
  | { readonly kind: 'replace'; readonly victim: StoreStatus; readonly isConfirmed: boolean }
  /** A person has to decide: replacing more stores could lose the quorum, and with it data. */
  | { readonly kind: 'blocked'; readonly why: string };

/** What is known besides the stores that are down. */
export interface FailoverEvidence {
  /** The stores that are up, and since when. */
  readonly available?: readonly StoreStatus[];
  /** Pods whose replacement a person has confirmed. */
  readonly confirmed?: ReadonlySet<string>;
  /** When a pod was made, in milliseconds; `undefined` when it is not known. */
  createdAt?(podName: string): number | undefined;
}

/**
 * Decides whether a failed store is replaced (`spec/matrixone.md` §2.10). At most a minority of the shard replicas is ever missing
 * without a person: a store replaced earlier counts until all others were up for as long as a store may be down. By then the replicas it
 * had are on others, and a majority does not depend on it.
 */
export function decideFailover(
  spec: Pick<LogSetSpec, 'initialConfig' | 'storeFailureTimeout'> & Partial<Pick<LogSetSpec, 'replicas'>>,
  failed: readonly StoreStatus[],
  reserved: readonly number[],
  now: number,
  evidence: FailoverEvidence = {},
): FailoverDecision {
  if (failed.length === 0) return { kind: 'none' };
  const timeout = parseDuration(spec.storeFailureTimeout ?? '10m');
  const after = Math.min(...failed.map((store) => untilFailed(store, timeout, now)));
  if (after > 0) return { kind: 'wait', after };
  // One whose ordinal is out of use is on its way out.
  const isLost = (store: StoreStatus) =>
    untilFailed(store, timeout, now) <= 0 && !reserved.includes(ordinalOf(store.podName));
  const lost = failed.filter(isLost);
  const confirmed = lost.find(({ podName = '' }) => evidence.confirmed?.has(podName));
  if (confirmed) return { kind: 'replace', victim: confirmed, isConfirmed: true };
  const [victim] = lost;
  if (!victim) return { kind: 'wait', after: timeout };
  const limit = Math.floor((spec.initialConfig?.logShardReplicas ?? 1) / 2);
  // A store without a pod is as much out of reach as one whose pod is down.
  const present = failed.length + (evidence.available?.length ?? 0);
  const absent = evidence.available ? Math.max(0, (spec.replicas ?? 0) - present) : 0;
  const down = failed.length + absent;
  if (down > limit) {
    return blocked(`${down} stores are down and only ${limit} may be replaced`, lost);
  }
  if (reserved.length >= limit && !isSettled(victim, timeout, evidence)) {
    const earlier = `stores ${reserved.join(', ')} were replaced before and only ${limit} may be at a time`;
    return blocked(`${earlier}; the others had not all been up for ${spec.storeFailureTimeout ?? '10m'}`, lost);
  }
  return { kind: 'replace', victim, isConfirmed: false };
}

function blocked(why: string, lost: readonly StoreStatus[]): FailoverDecision {
  const pods = lost.map(({ podName = '' }) => podName);
  return { kind: 'blocked', why: byConfirmation(why, pods) };
}

/** Reason of `FailoverBlocked` where it is HAKeeper's word that stands against it. */
export const REPLICAS_MISSING = 'ReplicasMissing';

/** What holds a failover, with what a person can do about it, and what that costs. */
export function byConfirmation(why: string, lost: readonly string[]): string {
  const pods = lost.join(',');
  const cost = 'their volumes go; where that is a majority, only a backup brings the database back';
  return `${why}; bring back ${pods}, or annotate the LogSet with ${ANNOTATION_CONFIRM_FAILOVER}=${pods}: ${cost}`;
}

/** Whether what came of earlier replacements was healthy before the victim failed, the victim included if it was one. */
function isSettled(victim: StoreStatus, timeout: number, { available = [], createdAt }: FailoverEvidence): boolean {
  const since = ({ lastTransition }: StoreStatus) =>
    lastTransition === undefined ? Number.NaN : parseTime(lastTransition);
  const failedAt = since(victim);
  const born = createdAt?.(victim.podName ?? '');
  const others = available.every((store) => failedAt - since(store) >= timeout);
  return others && available.length > 0 && born !== undefined && failedAt - born >= timeout;
}

/**
 * Whether the pod of a store that counts as lost is still down: asked of the server, as what is known may be late, and its data goes with it. One
 * that is gone, or another one by now, gets its time.
 */
export async function isStillDown(context: ActorContext<LogSet>, podName: string): Promise<boolean> {
  const { client, clock, object, signal, status } = context;
  const key = { namespace: object.metadata.namespace ?? '', name: podName };
  const pod = await client.of(Pod).find(key, { signal });
  if (!pod || pod.metadata.uid !== context.store(Pod).get(key)?.metadata.uid) return false;
  return storesStatus([pod], status, clock.now()).failedStores.length > 0;
}
