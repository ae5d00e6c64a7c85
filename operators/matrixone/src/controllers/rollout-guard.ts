import type { Pod } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { ActorContext } from '@coxswain/runtime/actor';
import { contains } from '@coxswain/runtime/apply';
import { type LogSet, logSetNames } from '../api/index.ts';
import { type LogStoreRecord, runsSince } from '../cnstore/index.ts';
import { storeOrdinals } from '../config/index.ts';
import type { Elapsed } from '../elapsed/index.ts';
import { logStoreUuid } from '../identity/index.ts';
import type { LogKeeper } from '../logstore/index.ts';
import { blindFor, lookAtStores } from './log-look.ts';
import { heldStores, type RollingStore } from './log-rollout.ts';
import { shortageWithout, silence } from './log-shortage.ts';
import { isPodReady, ordinalOf } from './store-status.ts';

type Context = ActorContext<LogSet>;
type Keeper = Pick<LogKeeper, 'logStores'>;
type Records = ReadonlyMap<string, LogStoreRecord>;

/** What a rollout is about. */
export interface Rollout {
  /** The StatefulSet as it shall be, with nobody held. */
  readonly planned: KruiseStatefulSet;
  readonly live: KruiseStatefulSet;
  readonly pods: readonly Pod[];
  /** Replicas of each shard, when all is well. */
  readonly shardReplicas: number;
}

/** What a rollout of log stores is held to in this pass. */
export interface GuardedRollout {
  /** How many stores, counted from the lowest ordinal, stay as they are; absent: nobody is held. */
  readonly partition?: number;
  /** Milliseconds until it is worth looking again. */
  readonly after?: number;
  /** To be called with what the StatefulSet is when it has been applied. */
  readonly applied?: (workload: KruiseStatefulSet) => void;
}

/** Milliseconds between looks while stores are held. */
const lookAgain = 2_000;
/** Milliseconds for which stores are held before anybody is told. */
const untilTold = 60_000;
/** Milliseconds that a heartbeat must be younger than its pod’s start: HAKeeper’s clock is known to a second, and so are the times in a pod. */
const margin = 3_000;

/**
 * Sees to it that in a rollout no log store is restarted before all others are back at HAKeeper: a pod is ready as soon as its program runs, and has
 * its replicas later. OpenKruise is held by `partition`, which stands in the StatefulSet only while a rollout is under way.
 */
export class RolloutGuard {
  readonly #keeper: Keeper;
  readonly #elapsed: Elapsed;
  /** By LogSet: since when its rollout is held, and since when HAKeeper has not answered; both by the monotonic clock. */
  readonly #held = new Map<string, { since: number; told: boolean }>();
  readonly #blind = new Map<string, { since: number; told: boolean }>();
  /** By LogSet: the template that was written last. */
  readonly #written = new Map<string, string>();

  constructor(keeper: Keeper, elapsed: Elapsed) {
    this.#keeper = keeper;
    this.#elapsed = elapsed;
  }

  async step(context: Context, rollout: Rollout): Promise<GuardedRollout> {
    const { uid = '' } = context.object.metadata;
    const { planned, live } = rollout;
    const template = JSON.stringify(planned.spec.template);
    // One that was written may read otherwise for good, where the server keeps it in another form.
    const isNew = this.#written.get(uid) !== template && !contains(live.spec.template, planned.spec.template);
    const applied = (workload: KruiseStatefulSet) => {
      if (wasSent(live, workload)) this.#written.set(uid, template);
    };
    return { ...(await this.#decide(context, rollout, isNew)), applied };
  }

  /** Nothing of a LogSet that is gone is remembered. */
  forget(context: Context): void {
    this.#over(context);
    this.#written.delete(context.object.metadata.uid ?? '');
  }

  async #decide(context: Context, rollout: Rollout, isNew: boolean): Promise<GuardedRollout> {
    const { planned, live, pods } = rollout;
    const ordinals = storeOrdinals(planned.spec.replicas ?? 1, planned.spec.reserveOrdinals?.map(Number));
    if (ordinals.length < 2) return this.#over(context);
    // Until OpenKruise has seen the newest spec nobody knows which pods are as it says.
    if (!isNew && (live.status?.observedGeneration ?? 0) < (live.metadata.generation ?? 0)) {
      const { partition = 0 } = live.spec.updateStrategy?.rollingUpdate ?? {};
      return partition > 0 ? { partition, after: lookAgain } : {};
    }
    const target = isNew ? undefined : live.status?.updateRevision;
    const members = ordinals.map((ordinal) => pods.find(({ metadata }) => ordinalOf(metadata.name) === ordinal));
    const isUpdated = (pod: Pod | undefined) => target !== undefined && pod?.metadata.labels?.[revisionHash] === target;
    if (members.every(isUpdated) || !members.some(Boolean)) return this.#over(context);
    const records = await this.#look(context);
    const stores = members.map((pod): RollingStore => {
      const isReady = pod !== undefined && isPodReady(pod);
      const isBack = isReady && records !== undefined && this.#isBack(pod, records);
      const isNeeded = () => records !== undefined && isMissedAlone(pod, members, records, rollout);
      return { isThere: pod !== undefined, isUpdated: isUpdated(pod), isReady, isBack, isNeeded };
    });
    if (!records && this.#goesBlind(context)) return {};
    // One at a time: neither restarts while another one is taken away.
    const isScaledIn = (planned.spec.replicas ?? 1) < (live.spec.replicas ?? 1);
    const partition = isScaledIn ? ordinals.length : heldStores(stores);
    this.#tell(context, stores, ordinals, partition);
    return { ...(partition > 0 ? { partition } : {}), after: lookAgain };
  }

  #over({ object }: Context): GuardedRollout {
    this.#held.delete(object.metadata.uid ?? '');
    this.#blind.delete(object.metadata.uid ?? '');
    return {};
  }

  /** The stores by UUID; `undefined` when HAKeeper does not answer. */
  async #look(context: Context): Promise<Records | undefined> {
    const stores = await lookAtStores(context, this.#keeper);
    if (!stores) return undefined;
    this.#blind.delete(context.object.metadata.uid ?? '');
    return new Map(stores.map((store) => [store.uuid, store]));
  }

  /** Whether HAKeeper has heard of a store, with all its replicas, since its pod last became ready. */
  #isBack(pod: Pod, records: Records): boolean {
    const record = records.get(logStoreUuid(ordinalOf(pod.metadata.name)));
    if (!record || record.missing.length > 0 || record.silentFor > silence) return false;
    const gates = (pod.status?.conditions ?? []).filter(({ type }) => type === 'Ready' || type === inPlaceGate);
    if (gates.some(({ status }) => status !== 'True')) return false;
    const moments = [...gates.map(({ lastTransitionTime }) => lastTransitionTime), runsSince(pod)];
    return moments.every((at, i) => {
      return at === undefined || this.#elapsed.since(`${pod.metadata.uid} back ${i}`, at) > record.silentFor + margin;
    });
  }

  /** Whether HAKeeper has not answered for so long that the rollout goes on as if nobody had to be asked. */
  #goesBlind({ object, clock, event }: Context): boolean {
    const now = clock.monotonic();
    const blind = this.#blind.get(object.metadata.uid ?? '') ?? { since: now, told: false };
    this.#blind.set(object.metadata.uid ?? '', blind);
    if (now - blind.since < blindFor) return false;
    if (!blind.told) {
      const message =
        'HAKeeper has not answered for 5m: the rollout goes on by the readiness of pods alone; can the operator reach port 32001 of the log stores?';
      event({ type: 'Warning', reason: 'RolloutUnchecked', message, action: 'Rollout' });
    }
    blind.told = true;
    return true;
  }

  /** Says who is waited for, once a rollout has been held for long at the same place. */
  #tell(
    { object, clock, event }: Context,
    stores: readonly RollingStore[],
    ordinals: readonly number[],
    partition: number,
  ): void {
    const key = `${object.metadata.uid}`;
    const isHeld = stores[partition]?.isUpdated ?? partition > 0;
    if (!isHeld) {
      this.#held.delete(key);
      return;
    }
    const held = this.#held.get(key) ?? { since: clock.monotonic(), told: false };
    this.#held.set(key, held);
    if (held.told || clock.monotonic() - held.since < untilTold || this.#blind.has(key)) return;
    held.told = true;
    const missing = ordinals
      .filter((_, at) => !stores[at]?.isBack)
      .map((ordinal) => `${logSetNames(object.metadata.name).workload}-${ordinal}`);
    const whom =
      missing.length > 0 ? `${missing.join(', ')} back with all replicas` : 'all replicas of each shard on the others';
    const message = `no further log store is restarted before HAKeeper has ${whom}`;
    event({ type: 'Warning', reason: 'RolloutHeld', message, action: 'Rollout' });
  }
}

/** Whether an apply was sent, and not left out because somebody else keeps undoing it: it has changed the object, or the server has answered. */
function wasSent(before: KruiseStatefulSet, { metadata, ...rest }: KruiseStatefulSet): boolean {
  const { generation = 0, resourceVersion } = before.metadata;
  if ((metadata.generation ?? 0) > generation) return true;
  return metadata.resourceVersion === resourceVersion && rest.spec !== before.spec;
}

/** Whether a shard lacked a majority while a store is away: HAKeeper has not given the others the replicas of one that is gone. */
function isMissedAlone(
  pod: Pod | undefined,
  members: readonly (Pod | undefined)[],
  records: Records,
  { shardReplicas }: Rollout,
): boolean {
  const others = members.flatMap((one) => (one && one !== pod ? [one.metadata.name] : []));
  const placed = Math.min(shardReplicas, members.length);
  return shortageWithout(others, [...records.values()], placed - Math.floor(placed / 2)) !== undefined;
}

/** On each pod of a StatefulSet: the revision it was made of, or changed to. */
const revisionHash = 'controller-revision-hash';
/** Closed while OpenKruise changes a pod in place. */
const inPlaceGate = 'InPlaceUpdateReady';
