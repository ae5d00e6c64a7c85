import { Pod } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatTime, isConflict, isNotFound, parseTime } from '@coxswain/runtime/core';
import {
  ANNOTATION_CN_LABEL,
  ANNOTATION_CN_STATE,
  ANNOTATION_DIAGNOSE_DRAINING,
  ANNOTATION_DRAINING_START,
  ANNOTATION_LOCK_RESTART,
  type CNLabel,
  CNSet,
  FINALIZER_CN_DRAINING,
  FINALIZER_CN_STORE,
  LABEL_CN_UUID,
  LABEL_COMPONENT,
  LABEL_INSTANCE,
  LogSet,
  MAIN_CONTAINER,
} from '../api/index.ts';
import { type DrainDecision, decideDrain, decideLocks, drainTimeout } from './drain.ts';
import { UnregisteredNodeError } from './errors.ts';
import { changeMetadata, setGate } from './pod-writes.ts';
import { changeOf, isPooled, poolStep } from './pool.ts';
import type { CnStore, CnStoreService } from './service.ts';
import { isMetadataUpdate, stageOf } from './stage.ts';
import { storeOfPod } from './store-of-pod.ts';

/** Milliseconds before something that did not work is tried again. */
const retryAfter = 5_000;
/** Milliseconds within which nodes report themselves that have nothing to recover, and between looks at them meanwhile. */
const startTime = 60_000;
const whileStarting = 1_000;

/** Forgotten when a node serves again: the next drain starts afresh. */
const drainMarks = {
  [ANNOTATION_DRAINING_START]: null,
  [ANNOTATION_LOCK_RESTART]: null,
  [ANNOTATION_DIAGNOSE_DRAINING]: null,
};

/** One pod in one pass. */
interface Pass extends ReconcileContext {
  readonly pod: Pod;
  readonly store: CnStore;
  readonly set: CNSet | undefined;
}

/** Takes compute nodes through their life (`spec/matrixone.md` §2.13): into service, out of it, and away. */
export class CnStoreController implements Reconciler {
  readonly #service: CnStoreService;

  constructor(service: CnStoreService) {
    this.#service = service;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const pod = context.cache.store(Pod).get(context.key);
    if (pod?.metadata.labels?.[LABEL_COMPONENT] !== 'CNSet') return undefined;
    try {
      return await this.#step(passOf(context, pod));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (isConflict(error)) return { requeueAfter: 0 };
      throw error;
    }
  }

  #step(pass: Pass): Promise<Result> {
    const stage = stageOf(pass.pod);
    if (stage === 'leaving') return this.#leave(pass);
    if (stage === 'cordoned') return this.#cordon(pass);
    if (stage === 'stopping') return this.#stop(pass);
    return stage === 'serving' ? this.#serve(pass) : Promise.resolve(undefined);
  }

  async #serve(pass: Pass): Promise<Result> {
    const { client, clock, pod, store, signal } = pass;
    const change = {
      addFinalizers: [FINALIZER_CN_STORE, FINALIZER_CN_DRAINING],
      labels: { [LABEL_CN_UUID]: store.uuid },
      annotations: { ...drainMarks, [ANNOTATION_CN_STATE]: 'Up' },
    };
    // First the finalizers: what serves must not go without a word.
    const marked = await changeMetadata(client, pod, change, signal);
    if (isPooled(pod)) return this.#wait({ ...pass, pod: marked });
    if (!(await this.#toldToServe(pass))) {
      await setGate(pass, pod, false, 'CNStoreNotRegistered');
      return registrationWait(pod, clock.now());
    }
    await setGate(pass, pod, true, 'CNStoreReady');
    return this.#later();
  }

  /** `false`: the cluster does not know the node yet, so there is nothing to be told. */
  async #toldToServe({ pod, store, signal }: Pass): Promise<boolean> {
    try {
      await this.#service.serve(store, labelsOf(pod), signal);
      return true;
    } catch (error) {
      if (error instanceof UnregisteredNodeError) return false;
      throw error;
    }
  }

  /** What was said to a node may be forgotten, as it is when HAKeeper loses its state: it is said again. */
  #later(): Result {
    const { refreshAfter } = this.#service;
    return refreshAfter === undefined ? undefined : { requeueAfter: refreshAfter };
  }

  /** A node of a pool serves when it is claimed, and that is the claim's to say. */
  async #wait(pass: Pass): Promise<Result> {
    const { client, pod, set, signal } = pass;
    const step = await poolStep(this.#service, { ...pass, scaling: set?.spec.scalingConfig });
    // A claim, or the pool, may have decided otherwise meanwhile.
    await changeMetadata(client, pod, { ...changeOf(step), exact: true }, signal);
    if (step.gate) await setGate(pass, pod, step.gate.open, step.gate.reason);
    return step.again;
  }

  async #cordon(pass: Pass): Promise<Result> {
    await setGate(pass, pass.pod, false, 'CNStoreCordon');
    await this.#service.drain(pass.store, pass.signal);
    await changeMetadata(pass.client, pass.pod, { annotations: { [ANNOTATION_CN_STATE]: 'Draining' } }, pass.signal);
    return this.#later();
  }

  async #stop(pass: Pass): Promise<Result> {
    const { client, clock, pod, set, store, signal } = pass;
    if (isMetadataUpdate(pod, set)) return this.#release(pass, pod);
    await setGate(pass, pod, false, 'CNStorePrepareStop');
    const scaling = set?.spec.scalingConfig;
    if (!scaling?.storeDrainEnabled) return this.#release(pass, pod);
    const began = pod.metadata.annotations?.[ANNOTATION_DRAINING_START] ?? formatTime(clock.now());
    const annotations = { [ANNOTATION_DRAINING_START]: began, [ANNOTATION_CN_STATE]: 'Draining' };
    const draining = await changeMetadata(client, pod, { annotations }, signal);
    const elapsed = clock.now() - parseTime(began);
    // Before anybody is asked: who does not answer must not hold the pod for ever.
    if (elapsed > drainTimeout(scaling)) return this.#release(pass, draining);
    const decision = await this.#progress({ ...pass, pod: draining }, elapsed);
    if (decision.kind === 'go') return this.#release(pass, draining);
    pass.log.info({ pod: store.podName, waiting: decision.why }, 'compute node is draining');
    return { requeueAfter: decision.after };
  }

  /** Takes a drain as far as it can be taken now. */
  async #progress({ client, pod, set, store, signal }: Pass, elapsed: number): Promise<DrainDecision> {
    await this.#service.drain(store, signal);
    const load = await this.#service.load(store, signal);
    const decision = decideDrain({ scaling: set?.spec.scalingConfig, elapsed, load });
    if (decision.kind === 'wait' || load === undefined) return decision;
    const wasAsked = pod.metadata.annotations?.[ANNOTATION_LOCK_RESTART] !== undefined;
    const handover = await this.#service.handOverLocks?.(store, wasAsked, signal);
    if (!handover) return decision;
    if (handover.asked)
      await changeMetadata(client, pod, { annotations: { [ANNOTATION_LOCK_RESTART]: 'true' } }, signal);
    return decideLocks(handover);
  }

  /** Lets OpenKruise go on. */
  async #release({ client, signal }: Pass, pod: Pod): Promise<Result> {
    await changeMetadata(client, pod, { removeFinalizers: [FINALIZER_CN_DRAINING], annotations: drainMarks }, signal);
    return undefined;
  }

  /**
   * The pod goes whatever happens: when the cluster cannot be told within the time of a drain, or has no log service
   * any more, MatrixOne finds out by itself.
   */
  async #leave(pass: Pass): Promise<Result> {
    const { client, pod, signal } = pass;
    if (!(await this.#forget(pass))) return { requeueAfter: retryAfter };
    const removeFinalizers = [FINALIZER_CN_DRAINING, FINALIZER_CN_STORE];
    await changeMetadata(client, pod, { removeFinalizers }, signal);
    return undefined;
  }

  async #forget({ cache, clock, log, pod, set, store, signal }: Pass): Promise<boolean> {
    const logSet = cache.store(LogSet).get(store.logSet);
    if (!set || !logSet || logSet.metadata.deletionTimestamp) return true;
    try {
      await this.#service.forget(store, signal);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const asked = clock.now() - parseTime(pod.metadata.deletionTimestamp ?? formatTime(clock.now()));
      log.warn({ err: error, pod: store.podName }, 'the cluster could not be told that a compute node is gone');
      return asked > drainTimeout(set.spec.scalingConfig);
    }
  }
}

/** Until a node has reported itself: often while it starts, then less so. */
function registrationWait(pod: Pod, now: number): Result {
  const main = pod.status?.containerStatuses?.find(({ name }) => name === MAIN_CONTAINER);
  const startedAt = main?.state?.running?.startedAt;
  const isStarting = startedAt !== undefined && now - parseTime(startedAt) < startTime;
  return { requeueAfter: isStarting ? whileStarting : retryAfter };
}

function passOf(context: ReconcileContext, pod: Pod): Pass {
  const { namespace = '', labels } = pod.metadata;
  const set = context.cache.store(CNSet).get({ namespace, name: labels?.[LABEL_INSTANCE] ?? '' });
  return { ...context, pod, set, store: storeOfPod(pod, set) };
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
