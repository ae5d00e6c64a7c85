import { Pod } from '@coxswain/k8s';
import { type Client, findSame } from '@coxswain/runtime/client';
import type { Result } from '@coxswain/runtime/controller';
import { asSeen, conflict, formatDuration, formatTime, isConflict, isNotFound, keyOf } from '@coxswain/runtime/core';
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
import { aboutToAsk, endOfDrain, lockMark, wasAskedForLocks } from './locks-given.ts';
import { asServerSays, isAbandoned, type Pass } from './pass.ts';
import { changeMetadata, setGate } from './pod-writes.ts';
import { isMetadataUpdate, stageOf } from './stage.ts';
import { loadMarks } from './statistics.ts';
import { whyUnknown } from './why-unknown.ts';

/** Milliseconds after which a drain is marked for a look at it. */
const diagnoseAfter = 300_000;

/** Empties a node that OpenKruise is about to stop or to update, and lets it go on (`spec/matrixone.md` §2.13). */
export async function stopNode(known: Pass): Promise<Result> {
  const pass = isEmptied(known) && timeOf(known).left >= 0 ? known : await asServerSays(known);
  const { pod } = pass;
  if (!isEmptied(pass)) {
    if (!isMetadataUpdate(pod, pass.set)) await setGate(pass, pod, false, 'CNStorePrepareStop');
    return release(pass, pod);
  }
  const { began, elapsed, timeout } = timeOf(pass);
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

/** Whether a node is emptied before it goes. */
function isEmptied(pass: Pass): boolean {
  const { pod, set } = pass;
  return !isMetadataUpdate(pod, set) && set !== undefined && isDrained(set) && !isAbandoned(pass);
}

/** When a drain began, and its time in milliseconds. */
function timeOf({ clock, elapsed: time, pod, set }: Pass) {
  const began = pod.metadata.annotations?.[ANNOTATION_DRAINING_START] ?? formatTime(clock.now());
  const elapsed = time.since(`${pod.metadata.uid} drains`, began);
  const timeout = drainTimeout(set?.spec.scalingConfig);
  return { began, elapsed, timeout, left: timeout - elapsed };
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
  const wasAsked = wasAskedForLocks(pod);
  const marked = wasAsked ? counted : await noteAsking(client, counted, signal);
  const handover = await service.handOverLocks(store, wasAsked, signal);
  if (handover.asked && !wasAsked)
    await changeMetadata(client, marked, { annotations: { [ANNOTATION_LOCK_RESTART]: lockMark(pod) } }, signal);
  return decideLocks(handover, wasAsked);
}

/**
 * Notes that a node is about to be asked for its locks: there is no way back, as it takes no transaction from then on before it is restarted. So the server is asked
 * whether it is still to stop, and the note is there before the question.
 * @throws ApiError Conflict when it is needed again
 */
async function noteAsking(client: Client, pod: Pod, signal: AbortSignal): Promise<Pod> {
  const now = await findSame(client, Pod, pod, signal);
  if (!now || stageOf(now) !== 'stopping')
    throw conflict(Pod, pod.metadata.name, 'it is needed again, which is not known here yet');
  return changeMetadata(client, now, { annotations: { [ANNOTATION_LOCK_RESTART]: aboutToAsk }, exact: true }, signal);
}

function giveUp(pass: Pass, pod: Pod, timeout: number): Promise<Result> {
  const message = `after ${formatDuration(timeout)} the compute node is stopped although it ${gateOf(pod)?.message || 'was not seen empty'}`;
  pass.event({ type: 'Warning', reason: 'DrainTimedOut', message });
  return release(pass, pod);
}

/** Lets OpenKruise go on. A pod that is not OpenKruise's is deleted, which comes to its end by itself: cut here, it is done again. */
async function release({ client, signal }: Pass, pod: Pod): Promise<Result> {
  // Only if it is still what it was decided on: a claim that takes it meanwhile must not lose it.
  if (isDirect(pod)) await client.of(Pod).delete(keyOf(pod), { preconditions: asSeen(pod), signal });
  else
    await changeMetadata(
      client,
      pod,
      { removeFinalizers: [FINALIZER_CN_DRAINING], annotations: endOfDrain(pod) },
      signal,
    );
  return undefined;
}
