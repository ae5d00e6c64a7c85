import { Pod } from '@coxswain/k8s';
import { conditionsOf, isReady } from '@coxswain/runtime/apply';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { isConflict, isNotFound, messageOf, type ObjectKey, parseTime } from '@coxswain/runtime/core';
import { ANNOTATION_LEADS, CONDITION_HAKEEPER_SILENT, LogSet, leadsOf, setLabels } from '../api/index.ts';
import { changeMetadata, haKeeperOf } from '../cnstore/index.ts';
import { logStoreUuid } from '../identity/index.ts';
import { type LogKeeper, silentUntilTold } from './log-keeper.ts';

/** Milliseconds between two looks, and the age of answers that will do: as for a compute node that serves, most often one that was given to others. */
const refreshAfter = 20_000;
/** The same while no store that runs is known to lead HAKeeper. */
const whileUnknown = 5_000;
const fresh = 1_000;
/** Milliseconds after a pod became ready in which HAKeeper may still speak of the store that ran before. */
const settling = 3_000;

/**
 * Notes on each log pod which shards its store leads. Written only where it differs: a shard that gets another leader costs two writes. While
 * nobody can be asked the notes stay as they are. As it is who asks again and again, it also wakes the LogSet when HAKeeper has been silent for long, or is no more.
 */
export class LeaderNotes implements Reconciler {
  readonly #keeper: LogKeeper;
  readonly #wake: (key: ObjectKey) => void;
  /** UIDs of the LogSets whose HAKeepers are asked: while one is, its LogSet may go, and another one get its name. */
  readonly #asked = new Map<string, string | undefined>();

  constructor(keeper: LogKeeper, wake: (key: ObjectKey) => void) {
    this.#keeper = keeper;
    this.#wake = wake;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, key, log, signal } = context;
    const set = cache.store(LogSet).get(key);
    const haKeeper = haKeeperOf({ namespace: key.namespace ?? '', name: key.name });
    if (this.#asked.has(haKeeper) && this.#asked.get(haKeeper) !== set?.metadata.uid) this.#keeper.forget(haKeeper);
    if (set) this.#asked.set(haKeeper, set.metadata.uid);
    else this.#asked.delete(haKeeper);
    if (!set || set.metadata.deletionTimestamp) return undefined;
    const { namespace = '', name } = key;
    const pods = [...cache.store(Pod).list({ namespace, labels: setLabels('LogSet', namespace, name) })];
    // Their pods tell when they do.
    if (!pods.some(runs)) return undefined;
    const isKnown = pods.some((pod) => runs(pod) && leadsOf(pod).includes(0));
    try {
      const stores = await this.#keeper.logStores(haKeeper, isKnown ? refreshAfter : fresh, signal);
      const leads = new Map(stores.map((store) => [store.uuid, store.leads]));
      const noted = await Promise.all(pods.map((pod) => note(context, pod, leads)));
      return { requeueAfter: noted.some(Boolean) ? refreshAfter : whileUnknown };
    } catch (error) {
      signal.throwIfAborted();
      if (isConflict(error) || isNotFound(error)) return { requeueAfter: fresh };
      log.debug({ error: messageOf(error) }, 'it is not known which log stores lead');
      return { requeueAfter: isKnown ? refreshAfter : whileUnknown };
    } finally {
      this.#tell(set, key, haKeeper);
    }
  }

  #tell(set: LogSet, key: ObjectKey, haKeeper: string): void {
    const silentFor = this.#keeper.silentFor(haKeeper);
    const isTold = conditionsOf(set).some(({ type }) => type === CONDITION_HAKEEPER_SILENT);
    if (isTold ? silentFor === 0 : (silentFor ?? 0) >= silentUntilTold) this.#wake(key);
  }
}

function runs(pod: Pod): boolean {
  return isReady(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** A store of which it can be said whether it leads: it has run for long enough to be told from the one before it. */
function isSettled(pod: Pod, now: number): boolean {
  const ready = pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
  return ready?.lastTransitionTime !== undefined && now - parseTime(ready.lastTransitionTime) >= settling;
}

/** @returns whether the pod's store leads HAKeeper, and runs */
async function note(
  { client, clock, signal }: ReconcileContext,
  pod: Pod,
  leads: ReadonlyMap<string, readonly number[]>,
): Promise<boolean> {
  const ordinal = /-(\d+)$/.exec(pod.metadata.name)?.[1];
  if (pod.metadata.deletionTimestamp) return false;
  const shards = (ordinal !== undefined && leads.get(logStoreUuid(Number(ordinal)))) || [];
  if (shards.length > 0 && !isSettled(pod, clock.now())) return false;
  const text = shards.length > 0 ? shards.join() : null;
  await changeMetadata(client, pod, { annotations: { [ANNOTATION_LEADS]: text } }, signal);
  return isReady(pod) && shards.includes(0);
}
