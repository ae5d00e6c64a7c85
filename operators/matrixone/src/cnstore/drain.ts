import { parseDuration } from '@coxswain/runtime/core';
import type { CNSetSpec } from '../api/index.ts';
import type { LockHandover, StoreLoad } from './service.ts';

/** Whether a draining node may go. */
export type DrainDecision =
  | { readonly kind: 'go'; readonly why: string }
  /** Not yet; look again in `after` milliseconds. */
  | { readonly kind: 'wait'; readonly after: number; readonly why: string };

/** Milliseconds between looks at a draining node. */
const lookAgain = 5_000;
/** Milliseconds to the next one when only what has been asked for has to show. */
const soon = 1_000;
const defaultTimeout = '5m';

export interface DrainState {
  readonly scaling: CNSetSpec['scalingConfig'];
  /** Milliseconds since the drain began. */
  readonly elapsed: number;
  /** `undefined`: the cluster does not know the node, so there is nothing to hand over. */
  readonly load: StoreLoad | undefined;
}

/**
 * Milliseconds a drain may take; 5 minutes unless the set says otherwise, also when it was stored without defaults or
 * with what is no duration: a drain without an end would hold the pod for ever.
 */
export function drainTimeout(scaling: CNSetSpec['scalingConfig']): number {
  try {
    return parseDuration(scaling?.storeDrainTimeout || defaultTimeout);
  } catch {
    return parseDuration(defaultTimeout);
  }
}

/** Decides whether a draining node has nothing left to serve (`spec/matrixone.md` §2.13). Its locks are another matter. */
export function decideDrain({ scaling, elapsed, load }: DrainState): DrainDecision {
  if (load === undefined) return go('HAKeeper does not know the compute node');
  if (elapsed > drainTimeout(scaling)) return go('the time is up');
  const minDelay = (scaling?.minDelaySeconds ?? 15) * 1000;
  const { sessions, pipelines, replicas } = load;
  if (sessions + pipelines + replicas > 0) return waitFor(remaining(load));
  if (elapsed < minDelay) return waitFor('sessions that may be on their way to it', minDelay - elapsed);
  return go('nothing is left on the compute node');
}

/**
 * Decides whether the locks of a node without load let it go.
 * @param wasAsked whether it had been asked to give them away before this look: what has just begun is soon over
 */
export function decideLocks({ released, asked, transactions }: LockHandover, wasAsked: boolean): DrainDecision {
  if (released) return go('nothing is left on the compute node');
  if (!asked) return waitFor('the transaction node to take its locks');
  const open = transactions === undefined ? 'open transactions' : counted(transactions, 'open transaction');
  return waitFor(`locks of ${open}`, !wasAsked || transactions === 0 ? soon : lookAgain);
}

function go(why: string): DrainDecision {
  return { kind: 'go', why };
}

/** @param why continues "it waits for …" */
export function waitFor(why: string, after = lookAgain): DrainDecision {
  return { kind: 'wait', after, why };
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** What a node still has, as in `3 sessions, 1 pipeline`. */
function remaining({ sessions, pipelines, replicas }: StoreLoad): string {
  const parts = [
    sessions > 0 ? [counted(sessions, 'session')] : [],
    pipelines > 0 ? [counted(pipelines, 'pipeline')] : [],
    replicas > 0 ? [counted(replicas, 'shard replica')] : [],
  ];
  return parts.flat().join(', ');
}
