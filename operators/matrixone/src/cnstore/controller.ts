import { Pod } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { asSeen, isConflict, isNotFound, keyOf, parseTime } from '@coxswain/runtime/core';
import {
  ANNOTATION_CN_LABEL,
  ANNOTATION_CN_STATE,
  ANNOTATION_DRAINING_START,
  type CNLabel,
  CONDITION_CN_STORE,
  FINALIZER_CN_DRAINING,
  FINALIZER_CN_STORE,
  KRUISE_LIFECYCLE_STATE,
  LABEL_CN_UUID,
  LABEL_COMPONENT,
} from '../api/index.ts';
import { isDirect, isDone } from './direct.ts';
import { UnregisteredNodeError } from './errors.ts';
import { leave } from './leaving.ts';
import { drainMarks, endOfDrain, hasGivenLocks } from './locks-given.ts';
import { runsSince } from './main-container.ts';
import { type Pass, type PassTools, passOf } from './pass.ts';
import { changeMetadata, setGate } from './pod-writes.ts';
import { changeOf, isPooled, poolStep } from './pool.ts';
import { noLoad } from './service.ts';
import { stageOf } from './stage.ts';
import { loadMarks, noteLoad } from './statistics.ts';
import { stopNode } from './stopping.ts';
import { takingBack } from './taking-back.ts';
import { whyUnknown } from './why-unknown.ts';

/** Milliseconds before something that did not work is tried again. */
const retryAfter = 5_000;
/** Milliseconds after a conflict: what changed the pod wakes the controller before, unless it is known late; then there is nothing new to decide on. */
const afterConflict = 1_000;
/** Milliseconds after its start before anybody is told that a node has not reported itself: nearly all do by then. */
const untilTold = 5_000;
/** Milliseconds within which nodes report themselves that have nothing to recover, and between looks at them meanwhile. */
const startTime = 60_000;
const whileStarting = 1_000;

/** Takes compute nodes through their life (`spec/matrixone.md` §2.13): into service, out of it, and away. */
export class CnStoreController implements Reconciler {
  readonly #tools: PassTools;

  constructor(tools: PassTools) {
    this.#tools = tools;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const pod = context.cache.store(Pod).get(context.key);
    if (pod?.metadata.labels?.[LABEL_COMPONENT] !== 'CNSet') return undefined;
    try {
      return await step(passOf(context, pod, this.#tools));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (isConflict(error)) return { requeueAfter: afterConflict };
      throw error;
    }
  }
}

function step(pass: Pass): Promise<Result> {
  switch (stageOf(pass.pod)) {
    case 'leaving':
      return leave(pass);
    case 'cordoned':
      return cordon(pass);
    case 'stopping':
      return stopNode(pass);
    case 'serving':
      return serve(pass);
    case 'released':
      return Promise.resolve(undefined);
  }
}

async function serve(pass: Pass): Promise<Result> {
  const { client, pod, store, signal } = pass;
  const isNew = pod.metadata.labels?.[LABEL_CN_UUID] === undefined;
  const isAsked = pass.service.refreshAfter !== undefined;
  if (isDirect(pod) && isDone(pod)) return sendAway(pass);
  if (hasGivenLocks(pod)) return replace(pass);
  // Until it runs there is nothing that it could hand over: it may go as it came.
  if (isNew && runsSince(pod) === undefined) return undefined;
  if (pod.metadata.annotations?.[ANNOTATION_DRAINING_START] !== undefined)
    pass.event({ reason: 'DrainRevoked', message: 'the compute node is needed again and takes sessions' });
  const change = {
    addFinalizers: [FINALIZER_CN_STORE, FINALIZER_CN_DRAINING],
    labels: { [LABEL_CN_UUID]: store.uuid },
    annotations: { ...drainMarks, [ANNOTATION_CN_STATE]: 'Up', ...(isNew && isAsked ? loadMarks(pod, noLoad) : {}) },
  };
  // First the finalizers: what serves must not go without a word.
  const marked = { ...pass, pod: await changeMetadata(client, pod, change, signal) };
  return isPooled(pod) ? wait(marked) : putIntoService(marked);
}

/** Does for a direct pod what OpenKruise does for its own: from now on it is emptied, and deleted then. */
async function sendAway({ client, pod, signal }: Pass): Promise<Result> {
  const labels = { [KRUISE_LIFECYCLE_STATE]: 'PreparingDelete' };
  // A claim may have taken it meanwhile, and nobody would take the word back.
  await changeMetadata(client, pod, { addFinalizers: [FINALIZER_CN_DRAINING], labels, exact: true }, signal);
  return { requeueAfter: 0 };
}

/**
 * Ends a node that is needed again when its locks were on their way to others: until it is restarted it refuses every transaction. It has nothing left to
 * lose, and another one comes.
 */
async function replace({ client, event, pod, signal }: Pass): Promise<Result> {
  await client.of(Pod).delete(keyOf(pod), { preconditions: asSeen(pod), signal });
  const message =
    'the compute node is needed again, and has given its locks away: it would take no transactions, so another one comes in its place';
  event({ reason: 'Replaced', message });
  return undefined;
}

async function putIntoService(pass: Pass): Promise<Result> {
  const { clock, pod, service, store, signal } = pass;
  try {
    await service.serve(store, labelsOf(pod), signal, takingBack(pass.client, pod, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (isConflict(error)) throw error;
    if (error instanceof UnregisteredNodeError) {
      const runs = runningFor(pod, clock.now());
      if (gateOf(pod) || runs >= untilTold) await setGate(pass, pod, false, 'CNStoreNotRegistered', error.message);
      return { requeueAfter: runs < startTime ? whileStarting : retryAfter };
    }
    return notTold(pass, error);
  }
  await setGate(pass, pod, true, 'CNStoreReady');
  await noteLoad(pass);
  return later(pass);
}

/** A node that serves goes on serving while HAKeeper cannot be asked; it has been told what it needs to know. */
async function notTold(pass: Pass, error: unknown): Promise<Result> {
  const { log, pod, store } = pass;
  log.warn({ err: error, pod: store.podName }, 'a compute node could not be put into service');
  if (gateOf(pod)?.status !== 'True') await setGate(pass, pod, false, 'CNStoreUnknown', whyUnknown(error));
  return { requeueAfter: retryAfter };
}

const gateOf = (pod: Pod) => pod.status?.conditions?.find(({ type }) => type === CONDITION_CN_STORE);

/** A node of a pool serves when it is claimed, and that is the claim's to say. */
async function wait(pass: Pass): Promise<Result> {
  const { client, pod, set, service, signal } = pass;
  const next = await poolStep(service, { ...pass, scaling: set?.spec.scalingConfig });
  // A claim, or the pool, may have decided otherwise meanwhile.
  const changed = await changeMetadata(client, pod, { ...changeOf(next), exact: true }, signal);
  if (next.gate) await setGate(pass, pod, next.gate.open, next.gate.reason);
  await noteLoad({ ...pass, pod: changed });
  return next.again ?? later(pass);
}

async function cordon(pass: Pass): Promise<Result> {
  const { client, pod, service, store, signal } = pass;
  await setGate(pass, pod, false, 'CNStoreCordon');
  // A drain that was revoked is over here, too, whoever is silent: the next one has all of its time.
  const annotations = { ...endOfDrain(pod), [ANNOTATION_CN_STATE]: 'Draining' };
  const marked = await changeMetadata(client, pod, { annotations }, signal);
  await service.drain(store, signal);
  await noteLoad({ ...pass, pod: marked });
  return later(pass);
}

/** What was said to a node may be forgotten, as it is when HAKeeper loses its state: it is said again. */
function later({ service: { refreshAfter } }: Pass): Result {
  return refreshAfter === undefined ? undefined : { requeueAfter: refreshAfter };
}

/** Milliseconds that MatrixOne has been running in a pod; for ever when that is not known. */
function runningFor(pod: Pod, now: number): number {
  const since = runsSince(pod);
  return since === undefined ? Number.POSITIVE_INFINITY : now - parseTime(since);
}

/** The labels a node serves for; none when the annotation holds something else. */
function labelsOf(pod: Pod): readonly CNLabel[] {
  try {
    const value: unknown = JSON.parse(pod.metadata.annotations?.[ANNOTATION_CN_LABEL] ?? 'null');
    return Array.isArray(value) ? (value as readonly CNLabel[]) : [];
  } catch {
    return [];
  }
}
