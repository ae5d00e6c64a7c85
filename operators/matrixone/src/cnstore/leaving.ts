import type { Result } from '@coxswain/runtime/controller';
import { formatDuration, formatTime } from '@coxswain/runtime/core';
import { FINALIZER_CN_DRAINING, FINALIZER_CN_STORE } from '../api/index.ts';
import { drainTimeout } from './drain.ts';
import { runsSince } from './main-container.ts';
import { isAbandoned, isLeaving, type Pass } from './pass.ts';
import { changeMetadata } from './pod-writes.ts';
import { whyUnknown } from './why-unknown.ts';

/** Milliseconds between two attempts to tell the cluster. */
const retryAfter = 5_000;
/** Milliseconds for which HAKeeper is asked to forget a node whose whole set goes: a node that does not come back it forgets by itself. */
const atTheEnd = 30_000;
/** Milliseconds beyond its time of grace after which a node that is said to run still is not believed to. */
const afterGrace = 5_000;

/**
 * The cluster forgets a node whose pod is deleted, and the pod goes whatever happens: when the cluster is going too, at once; when it
 * cannot be told, after the time of a drain, or soon when its set is going. MatrixOne then finds out by itself.
 */
export async function leave(pass: Pass): Promise<Result> {
  const { client, pod, signal } = pass;
  const left = isAbandoned(pass) ? 0 : await untilForgotten(pass);
  if (left > 0) return { requeueAfter: left };
  await changeMetadata(client, pod, { removeFinalizers: [FINALIZER_CN_DRAINING, FINALIZER_CN_STORE] }, signal);
  return undefined;
}

/** Milliseconds since the time of grace of a deleted pod was over; negative before. */
function sinceEnd({ clock, elapsed, pod }: Pass): number {
  const { uid, deletionTimestamp = formatTime(clock.now()), deletionGracePeriodSeconds = 0 } = pod.metadata;
  return elapsed.since(`${uid} leaves`, deletionTimestamp, -1_000 * deletionGracePeriodSeconds);
}

/** Milliseconds to the next look; 0: the cluster has been told, or will not be. */
async function untilForgotten(pass: Pass): Promise<number> {
  const { pod, service, set, store, log, signal, event } = pass;
  const since = sinceEnd(pass);
  const stopped = afterGrace - since;
  try {
    // While it runs it reports itself, and would be known again within a second.
    if (runsSince(pod) !== undefined && stopped > 0) {
      await service.drain(store, signal);
      return Math.min(retryAfter, stopped);
    }
    await service.forget(store, signal);
    return 0;
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, pod: store.podName }, 'the cluster could not be told that a compute node is gone');
    const drain = drainTimeout(set?.spec.scalingConfig);
    const timeout = isLeaving(set) ? Math.min(atTheEnd, drain) : drain;
    if (since <= timeout) return retryAfter;
    const message = `for ${formatDuration(timeout)} HAKeeper could not be told that the compute node is gone: ${whyUnknown(error)}`;
    event({ type: 'Warning', reason: 'NotForgotten', message });
    return 0;
  }
}
