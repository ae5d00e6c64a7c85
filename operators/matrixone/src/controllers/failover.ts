import { Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { parseDuration } from '@coxswain/runtime/core';
import {
  FINALIZER_CONFIRM_DELETION,
  LABEL_ACTION_REQUIRED,
  LABEL_LOGSET_OWNER,
  type LogSet,
  type LogSetSpec,
} from '../api/index.ts';
import { type StoreStatus, untilFailed } from './store-status.ts';

/** What is to be done about failed log stores. */
export type FailoverDecision =
  /** All stores are up. */
  | { readonly kind: 'none' }
  /** Some are down, none for long enough; look again in `after` milliseconds. */
  | { readonly kind: 'wait'; readonly after: number }
  /** `victim` is to be replaced by a store of another ordinal. */
  | { readonly kind: 'replace'; readonly victim: StoreStatus }
  /** A person has to decide: replacing more stores could lose the quorum, and with it data. */
  | { readonly kind: 'blocked'; readonly why: string };

/**
 * Decides whether a failed store is replaced (`spec/matrixone.md` §2.10). At most a minority of the shard replicas is
 * ever replaced without a person; ordinals that are reserved already count.
 */
export function decideFailover(
  spec: Pick<LogSetSpec, 'initialConfig' | 'storeFailureTimeout'>,
  failed: readonly StoreStatus[],
  reserved: readonly number[],
  now: number,
): FailoverDecision {
  if (failed.length === 0) return { kind: 'none' };
  const timeout = parseDuration(spec.storeFailureTimeout ?? '10m');
  const after = Math.min(...failed.map((store) => untilFailed(store, timeout, now)));
  if (after > 0) return { kind: 'wait', after };
  const victim = failed.find((store) => untilFailed(store, timeout, now) <= 0);
  const limit = Math.floor((spec.initialConfig?.logShardReplicas ?? 1) / 2);
  if (failed.length > limit) {
    return { kind: 'blocked', why: `${failed.length} stores are down and only ${limit} may be replaced` };
  }
  if (reserved.length >= limit) {
    const why = `ordinals ${reserved.join(', ')} are reserved after earlier failovers and only ${limit} may be; clear reserveOrdinals once the stores are healthy`;
    return { kind: 'blocked', why };
  }
  return victim ? { kind: 'replace', victim } : { kind: 'wait', after: timeout };
}

/**
 * Takes a failed pod out of its set and keeps it for a post-mortem: without the set's labels the StatefulSet lets go of
 * it, and the finalizer keeps it until a person has looked.
 */
export async function orphanPod(context: ActorContext<LogSet>, podName: string): Promise<void> {
  const { namespace = '', name } = context.object.metadata;
  const pod = context.store(Pod).get({ namespace, name: podName });
  if (!pod || pod.metadata.labels?.[LABEL_LOGSET_OWNER]) return;
  const { resourceVersion, labels = {}, finalizers = [] } = pod.metadata;
  const removed = Object.fromEntries(Object.keys(labels).map((key) => [key, null]));
  const body = {
    metadata: {
      resourceVersion,
      finalizers: [...new Set([...finalizers, FINALIZER_CONFIRM_DELETION])],
      labels: { ...removed, [LABEL_ACTION_REQUIRED]: 'True', [LABEL_LOGSET_OWNER]: name },
    },
  };
  await context.client.of(Pod).patch({ namespace, name: podName }, merge(body), { signal: context.signal });
}
