import { parseDuration } from '@coxswain/runtime/core';
import type { CNSetSpec } from '../api/index.ts';
import type { StoreLoad } from './service.ts';

/** Whether a draining node may go. */
export type DrainDecision =
  | { readonly kind: 'go' }
  /** Not yet; look again in `after` milliseconds. */
  | { readonly kind: 'wait'; readonly after: number; readonly why: string };

/** Milliseconds between looks at a draining node. */
const lookAgain = 5_000;

export interface DrainState {
  readonly scaling: CNSetSpec['scalingConfig'];
  /** Milliseconds since the drain began. */
  readonly elapsed: number;
  /** `undefined`: the cluster does not know the node, so there is nothing to hand over. */
  readonly load: StoreLoad | undefined;
}

/** Milliseconds a drain may take; 5 minutes unless the set says otherwise, also when it was stored without defaults. */
export function drainTimeout(scaling: CNSetSpec['scalingConfig']): number {
  return parseDuration(scaling?.storeDrainTimeout ?? '5m');
}

/** Decides whether a draining node may go (`spec/matrixone.md` §2.13). */
export function decideDrain({ scaling, elapsed, load }: DrainState): DrainDecision {
  if (!scaling?.storeDrainEnabled || load === undefined) return { kind: 'go' };
  if (elapsed > drainTimeout(scaling)) return { kind: 'go' };
  const minDelay = (scaling.minDelaySeconds ?? 15) * 1000;
  if (elapsed < minDelay) return { kind: 'wait', after: minDelay - elapsed, why: 'sessions may still be on their way' };
  const { sessions, pipelines, replicas } = load;
  if (sessions + pipelines + replicas > 0) {
    return {
      kind: 'wait',
      after: lookAgain,
      why: `${sessions} sessions, ${pipelines} pipelines, ${replicas} replicas`,
    };
  }
  return load.locksReleased
    ? { kind: 'go' }
    : { kind: 'wait', after: lookAgain, why: 'its locks are not taken over yet' };
}
