import type { Pod } from '@coxswain/k8s';
import {
  ANNOTATION_CONNECTIONS,
  ANNOTATION_DIAGNOSE_DRAINING,
  ANNOTATION_DRAINING_START,
  ANNOTATION_LOCK_RESTART,
} from '../api/index.ts';
import { runsSince } from './main-container.ts';

/** In the place of the mark that a node has been asked for its locks: it is about to be, or has been and nobody could note it. */
export const aboutToAsk = 'asking';

/** The mark of a node that has been asked for its locks: since when it runs, as it takes transactions again when it has been restarted. */
export function lockMark(pod: Pod): string {
  return runsSince(pod) ?? 'true';
}

/** Whether a node has been asked for its locks since it started, as far as is noted. Upstream's mark does not tell, and outlives drains. */
export function wasAskedForLocks(pod: Pod): boolean {
  return pod.metadata.annotations?.[ANNOTATION_LOCK_RESTART] === lockMark(pod);
}

/**
 * Whether a node that is to serve was asked for its locks since it started, and so cannot serve any more: in a drain that has been revoked, or for an update that
 * restarted nothing. A mark of upstream's counts in a drain only, and only where nothing else is left on the node: it may be that of an earlier drain.
 */
export function hasGivenLocks(pod: Pod): boolean {
  const { annotations } = pod.metadata;
  const noted = annotations?.[ANNOTATION_LOCK_RESTART];
  if (noted === undefined) return false;
  if (noted === runsSince(pod)) return true;
  if (annotations?.[ANNOTATION_DRAINING_START] === undefined) return false;
  return noted === aboutToAsk || (isOthers(noted) && (annotations[ANNOTATION_CONNECTIONS] ?? '0') === '0');
}

/** Whether a mark is no time, as ours are. */
const isOthers = (noted: string) => Number.isNaN(Date.parse(noted));

/** Forgotten when a node serves again: the next drain starts afresh. */
export const drainMarks = {
  [ANNOTATION_DRAINING_START]: null,
  [ANNOTATION_LOCK_RESTART]: null,
  [ANNOTATION_DIAGNOSE_DRAINING]: null,
} as const;

/** The same when a drain ends and the node does not serve: that it has no locks any more is to be known until it is restarted. */
export function endOfDrain(pod: Pod): Readonly<Record<string, string | null>> {
  return hasGivenLocks(pod) ? { ...drainMarks, [ANNOTATION_LOCK_RESTART]: lockMark(pod) } : drainMarks;
}
