import { Pod } from '@coxswain/k8s';
import type { Result } from '@coxswain/runtime/controller';
import { formatDuration, formatTime, isConflict, isNotFound, keyOf } from '@coxswain/runtime/core';
import {
  ANNOTATION_CN_STATE,
  ANNOTATION_DIAGNOSE_DRAINING,
  ANNOTATION_DRAINING_START,
  ANNOTATION_LOCK_RESTART,
  type CNSet,
  CONDITION_CN_STORE,
  FINALIZER_CN_DRAINING,
} from '../api/index.ts';
import { isDirect } from './direct.ts';
import { type DrainDecision, decideDrain, decideLocks, drainTimeout, waitFor } from './drain.ts';
import { isAbandoned, type Pass } from './pass.ts';
import { changeMetadata, setGate } from './pod-writes.ts';
import { isMetadataUpdate } from './stage.ts';
import { loadMarks } from './statistics.ts';
import { whyUnknown } from './why-unknown.ts';

/** Milliseconds after which a drain is marked for a look at it. */
const diagnoseAfter = 300_000;

/** Forgotten when a node serves again: the next drain starts afresh. */
export const drainMarks = {
  [ANNOTATION_DRAINING_START]: null,
  [ANNOTATION_LOCK_RESTART]: null,
  [ANNOTATION_DIAGNOSE_DRAINING]: null,
} as const;

/** Empties a node that OpenKruise is about to stop or to update, and lets it go on (`spec/matrixone.md` §2.13). */
export async function stopNode(pass: Pass): Promise<Result> {
  const { clock, pod, set } = pass;
  if (isMetadataUpdate(pod, set)) return release(pass, pod);
  if (!set || !isDrained(set) || isAbandoned(pass)) {
    await setGate(pass, pod, false, 'CNStorePrepareStop');
    return release(pass, pod);
  }
  const began = pod.metadata.annotations?.[ANNOTATION_DRAINING_START] ?? formatTime(clock.now());
  const elapsed = pass.elapsed.since(`${pod.metadata.uid} drains`, began);
  const timeout = drainTimeout(set.spec.scalingConfig);
  const draining = await mark(pass, began, elapsed, timeout);
  // Before anybody is asked: who does not answer must not hold the pod for ever.
  if (elapsed > timeout) return giveUp(pass, draining, timeout);
  const decision = await progress({ ...pass, pod: draining }, elapsed);
  if (decision.kind === 'wait') {
    await setGate(pass, draining, false, 'CNStorePrepareStop', waitsFor(decision.why));
    pass.log.info({ pod: pass.store.podName, waiting: decision.why }, 'compute node is draining');
    return { requeueAfter: Math.min(decision.after, timeout - elapsed + 1000) };
  }
  pass.event({ reason: 'Drained', message: `${decision.why}, after ${formatDuration(elapsed)}` });
  return release(pass, draining);
}

const gateOf = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === CONDITION_CN_STORE);

const waitsFor = (why: string) => `waits for ${why}`;

/** Whether nodes of a set are emptied before they stop: when they shall be, and at its end when it shall be. */
function isDrained({ metadata, spec }: CNSet): boolean {
  const isEnd = metadata.deletionTimestamp !== undefined && spec.terminationPolicy === 'Drain';
  return isEnd || (spec.scalingConfig?.storeDrainEnabled ?? false);
}

/** Notes that, and since when, a node drains. */
async function mark(pass: Pass, began: string, elapsed: number, timeout: number): Promise<Pod> {
  const { client, pod, signal } = pass;
  await setGate(pass, pod, false, 'CNStorePrepareStop');
  if (pod.metadata.annotations?.[ANNOTATION_DRAINING_START] === undefined)
    pass.event({ reason: 'Draining', message: `sessions are handed over, for ${formatDuration(timeout)} at most` });
  const annotations = {
    [ANNOTATION_DRAINING_START]: began,
    [ANNOTATION_CN_STATE]: 'Draining',
    ...(elapsed > diagnoseAfter ? { [ANNOTATION_DIAGNOSE_DRAINING]: 'true' } : {}),
  };
  return changeMetadata(client, pod, { annotations }, signal);
}

/** Takes a drain as far as it can be taken now. Who cannot be asked is waited for: not knowing is not "nothing left". */
async function progress(pass: Pass, elapsed: number): Promise<DrainDecision> {
  try {
    return await askAndDecide(pass, elapsed);
  } catch (error) {
    pass.signal.throwIfAborted();
    if (isConflict(error) || isNotFound(error)) throw error;
    pass.log.warn({ err: error, pod: pass.store.podName }, 'what a draining compute node still has is not known');
    const why = whyUnknown(error);
    // It is asked every few seconds, and told once.
    const isKnown = gateOf(pass.pod)?.message === waitsFor(why);
    if (!isKnown) pass.event({ type: 'Warning', reason: 'DrainUnknown', message: why });
    return waitFor(why);
  }
}

async function askAndDecide(
  { client, pod, service, set, store, signal }: Pass,
  elapsed: number,
): Promise<DrainDecision> {
  await service.drain(store, signal);
  const load = await service.load(store, signal);
  const decision = decideDrain({ scaling: set?.spec.scalingConfig, elapsed, load });
  if (!load) return decision;
  const counted = await changeMetadata(client, pod, { annotations: loadMarks(pod, load) }, signal);
  if (decision.kind === 'wait' || !service.handOverLocks) return decision;
  const wasAsked = pod.metadata.annotations?.[ANNOTATION_LOCK_RESTART] !== undefined;
  const handover = await service.handOverLocks(store, wasAsked, signal);
  if (handover.asked && !wasAsked)
    await changeMetadata(client, counted, { annotations: { [ANNOTATION_LOCK_RESTART]: 'true' } }, signal);
  return decideLocks(handover, wasAsked);
}

function giveUp(pass: Pass, pod: Pod, timeout: number): Promise<Result> {
  const message = `after ${formatDuration(timeout)} the compute node is stopped although it ${gateOf(pod)?.message || 'was not seen empty'}`;
  pass.event({ type: 'Warning', reason: 'DrainTimedOut', message });
  return release(pass, pod);
}

/** Lets OpenKruise go on. A pod that is not OpenKruise's is deleted, which comes to its end by itself: cut here, it is done again. */
async function release({ client, signal }: Pass, pod: Pod): Promise<Result> {
  const { uid = '' } = pod.metadata;
  if (isDirect(pod)) await client.of(Pod).delete(keyOf(pod), { preconditions: { uid }, signal });
  else
    await changeMetadata(client, pod, { removeFinalizers: [FINALIZER_CN_DRAINING], annotations: drainMarks }, signal);
  return undefined;
}
