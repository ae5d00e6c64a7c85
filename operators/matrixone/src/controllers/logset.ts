import { type Pod, Service } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { type Action, type Actor, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { controllerOf } from '@coxswain/runtime/controller';
import { type Clock, formatTime } from '@coxswain/runtime/core';
import {
  ANNOTATION_BOOTSTRAP,
  confirmedPods,
  type LogSet,
  type LogSetSpec,
  logSetNames,
  PORT_LOG_SERVICE,
} from '../api/index.ts';
import { type BucketScope, holdBucket, noteRan, noteRunning, releaseBucket } from '../buckets/index.ts';
import { type BootstrapMember, parseBootstrapMembers } from '../config/index.ts';
import { type DefaultServiceArgs, defaultLogSet } from '../defaults/index.ts';
import { Elapsed } from '../elapsed/index.ts';
import type { LogKeeper } from '../logstore/index.ts';
import { volumeChange } from '../pods/index.ts';
import { logSetProblems } from '../validation/index.ts';
import { podsOf, podsThere } from './children.ts';
import { spentConfirmations } from './confirmations.ts';
import { decideFailover, type FailoverDecision, REPLICAS_MISSING } from './failover.ts';
import { FailoverGuard } from './failover-guard.ts';
import { clusterInNeed, handOver, removeShared } from './hand-over.ts';
import { refuseMoves } from './immutable.ts';
import { storeMoment } from './log-moment.ts';
import { type LogScale, scaleLogStores } from './log-scale.ts';
import { LogScaleGuard } from './log-scale-guard.ts';
import { reportSilence } from './log-silence.ts';
import {
  decideBootstrap,
  growLogVolumes,
  type LogSetInput,
  liveWorkload,
  logSetPlan,
  removeClaims,
  replaceStore,
  syncLogSet,
} from './logset-actions.ts';
import { reservedOrdinals } from './ordinals.ts';
import { ordinalsOutOfUse, releaseOrphans } from './orphans.ts';
import { workloadOutOfSight } from './out-of-sight.ts';
import { isOfTheSpec } from './pod-trouble.ts';
import { refuse, refuseProblems } from './refuse.ts';
import { reportTrouble, type SetTrouble, watchTrouble } from './report-trouble.ts';
import { pendingRollout } from './rollout.ts';
import { type GuardedRollout, RolloutGuard } from './rollout-guard.ts';
import { type StoreStatus, updateStores } from './store-status.ts';
import { tooFew } from './too-few.ts';
import { ensureWorkloadGone } from './workload-gone.ts';

type Context = ActorContext<LogSet>;

export interface LogSetActorOptions {
  readonly serviceArgs: DefaultServiceArgs;
  readonly failover: boolean;
  readonly clock: Clock;
  /** Who tells of log stores. Absent: rollouts, failovers and scale-ins go by the readiness of pods alone. */
  readonly keeper?: LogKeeper;
  /** Where owners of S3 paths are looked for. Absent: paths have no owners. */
  readonly buckets?: BucketScope;
}

/** The life of a log service (`spec/matrixone.md` §2.10). */
export class LogSetActor implements Actor<LogSet> {
  readonly #options: LogSetActorOptions;
  readonly #elapsed: Elapsed;
  readonly #guard: RolloutGuard | undefined;
  readonly #failoverGuard: FailoverGuard | undefined;
  readonly #scaleGuard: LogScaleGuard | undefined;

  constructor(options: LogSetActorOptions) {
    this.#options = options;
    this.#elapsed = new Elapsed(options.clock);
    const { keeper } = options;
    this.#guard = keeper && new RolloutGuard(keeper, this.#elapsed);
    this.#failoverGuard = keeper && new FailoverGuard(keeper);
    this.#scaleGuard = keeper && new LogScaleGuard(keeper);
  }

  async observe(context: Context): Promise<Action<LogSet> | undefined> {
    const members = bootstrapMembers(context);
    const spec = defaultLogSet(asBootstrapped(context.object.spec, members), this.#options.serviceArgs);
    refuseProblems(context, logSetProblems({ spec }));
    // One that has chosen no members has none yet.
    const unseen = members && (await workloadOutOfSight(context));
    if (unseen) return unseen;
    const live = liveWorkload(context);
    if (!members) return decideBootstrap(spec, live?.metadata.annotations?.[ANNOTATION_BOOTSTRAP]);
    refuseMoves(context, spec, members, live);
    const scale = await this.#scale(context, spec, live);
    const reserved = await ordinalsOutOfUse(context, spec, live);
    const free: LogSetInput = { spec, members, live, reserved, scale };
    // One of an earlier LogSet of this name, which is known here still, has started nothing of this one.
    const started = live !== undefined && [undefined, context.object.metadata.uid].includes(controllerOf(live)?.uid);
    await this.#hold(context, free, started);
    const rollout = await this.#guarded(context, free);
    const input: LogSetInput = { ...free, scale: { ...scale, ...partitionOf(rollout) } };
    const change = volumeChange(spec.volume, live?.spec.volumeClaimTemplates);
    if (change.kind === 'grow') return growLogVolumes(input, change.to);

    const workload = await syncLogSet(context, input);
    rollout.applied?.(workload);
    const failed = reportStores(context, spec, workload);
    const trouble = await reportTrouble(context, 'LogSet', workload);
    reportSilence(context, this.#options.keeper, this.#elapsed);
    const next = await this.#failover(context, input, failed, trouble.ofPods, workload);
    if (next.action) return next.action;
    const notKept =
      this.#options.buckets && context.status.availableStores?.length
        ? await noteRunning(context, podsOf(context, 'LogSet'))
        : undefined;
    if (change.kind === 'refuse') {
      refuse(context, 'VolumeShrinks', `volume size cannot be decreased from ${change.from} to ${change.to}`);
    }
    const pending =
      pendingRollout(workload) ??
      (failed.length > 0 ? `${failed.length} log stores are down` : undefined) ??
      scale.waits ??
      (scale.keepsClaims && spec.replicas > 0 ? 'log stores are going' : undefined);
    if (pending !== undefined) throw new Resync(pending, rollout.after ?? next.after ?? scale.after ?? lookAgain);
    if (trouble.message !== undefined) watchTrouble(context, trouble.message);
    const blocked = this.#options.buckets && context.conditions.get('BucketBlocked');
    if (blocked) watchTrouble(context, blocked.message, lookAgain);
    if (notKept !== undefined) watchTrouble(context, notKept, refusalAgain);
    return undefined;
  }

  /** How many stores there shall be after this pass. None goes that HAKeeper cannot do without yet. */
  async #scale(context: Context, spec: LogSetSpec, live: KruiseStatefulSet | undefined): Promise<LogScale> {
    const { uid } = context.object.metadata;
    const since = (at: string) => this.#elapsed.since(`${uid} scaled in`, at);
    const decide = (objection?: string) =>
      scaleLogStores(spec, live, podsOf(context, 'LogSet'), context.clock.now(), since, objection);
    const scale = decide();
    if (!this.#scaleGuard || !live || scale.replicas === 0 || scale.replicas >= (live.spec.replicas ?? 0)) return scale;
    const rolling = pendingRollout(live);
    if (rolling !== undefined) return decide(rolling);
    const { logShardReplicas = 1 } = spec.initialConfig ?? {};
    return decide(await this.#scaleGuard.objection(context, scale.replicas, reservedOrdinals(live), logShardReplicas));
  }

  /** How far a rollout may go in this pass. */
  async #guarded(context: Context, input: LogSetInput): Promise<GuardedRollout> {
    if (!this.#guard || !input.live) return {};
    const { workload: planned } = logSetPlan(context, input);
    const { logShardReplicas: shardReplicas = 1 } = input.spec.initialConfig ?? {};
    return this.#guard.step(context, { planned, live: input.live, pods: podsOf(context, 'LogSet'), shardReplicas });
  }

  /** Nothing starts before the S3 path is its own. */
  async #hold(context: Context, input: LogSetInput, started: boolean): Promise<void> {
    const { s3 } = input.spec.sharedStorage;
    if (!this.#options.buckets || !s3) return;
    const { template } = logSetPlan(context, input).workload.spec;
    await holdBucket(context, { s3, template, started }, this.#options.buckets);
  }

  /** What to do about failed stores, or when to look again. */
  async #failover(
    context: Context,
    input: LogSetInput,
    failed: readonly StoreStatus[],
    troubles: SetTrouble['ofPods'],
    workload: KruiseStatefulSet,
  ): Promise<{ action?: Action<LogSet>; after?: number }> {
    if (!this.#options.failover) return {};
    const spent = await spentConfirmations(context);
    if (spent) return { action: spent };
    const { conditions, clock } = context;
    const pods = new Map(podsOf(context, 'LogSet').map((pod) => [pod.metadata.name, pod]));
    for (const { podName = '', lastTransition = '' } of failed) {
      if (isOfTheSpec(troubles.get(podName), pods.get(podName), workload))
        this.#elapsed.restart(storeMoment(context.object, podName), lastTransition);
    }
    const decided = decideFailover(input.spec, this.#steady(context, failed), input.reserved, clock.now(), {
      available: this.#steady(context, context.status.availableStores ?? []),
      confirmed: confirmedPods(context.object),
      createdAt: (podName) => this.#madeAt(context, pods.get(podName)),
    });
    const objection = await this.#objection(context, input, decided);
    const why = objection ?? (decided.kind === 'blocked' ? decided.why : undefined);
    if (why !== undefined) {
      const isNew = conditions.get('FailoverBlocked')?.message !== why;
      conditions.set('FailoverBlocked', 'True', objection ? REPLICAS_MISSING : 'Quorum', why);
      if (isNew) context.event({ type: 'Warning', reason: 'FailoverBlocked', message: why, action: 'Failover' });
      return {};
    }
    conditions.remove('FailoverBlocked');
    if (decided.kind === 'replace') return { action: replaceStore(input, decided.victim) };
    return decided.kind === 'wait' ? { after: Math.min(decided.after, lookAgain) } : {};
  }

  /** What HAKeeper has against replacing a store that nobody has confirmed. */
  async #objection(
    context: Context,
    { spec, reserved }: LogSetInput,
    decided: FailoverDecision,
  ): Promise<string | undefined> {
    if (decided.kind !== 'replace' || decided.isConfirmed) return undefined;
    const { logShardReplicas = 1 } = spec.initialConfig ?? {};
    return this.#failoverGuard?.objection(context, decided.victim.podName ?? '', logShardReplicas, reserved);
  }

  /** The stores as if the wall clock had never been put on or back while this process looked on. */
  #steady(context: Context, stores: readonly StoreStatus[]): readonly StoreStatus[] {
    return stores.map((store) => {
      if (store.lastTransition === undefined) return store;
      const elapsed = this.#elapsed.since(storeMoment(context.object, store.podName), store.lastTransition);
      return { ...store, lastTransition: formatTime(context.clock.now() - elapsed) };
    });
  }

  #madeAt({ clock }: Context, pod: Pod | undefined): number | undefined {
    const { uid = '', creationTimestamp } = pod?.metadata ?? {};
    return creationTimestamp === undefined ? undefined : clock.now() - this.#elapsed.since(uid, creationTimestamp);
  }

  async finalize(context: Context): Promise<boolean> {
    const { namespace = '', name, uid, deletionTimestamp = '' } = context.object.metadata;
    const cluster = await clusterInNeed(context);
    const unseen = cluster && (await workloadOutOfSight(context));
    if (unseen) {
      await unseen.run(context);
      return false;
    }
    if (cluster) return handOver(context, cluster, this.#elapsed.since(`${uid} deleted`, deletionTimestamp));
    const names = logSetNames(name);
    if (this.#options.buckets) await noteRan(context, await podsThere(context, 'LogSet'));
    const gone = [
      await ensureWorkloadGone(
        context,
        KruiseStatefulSet,
        { namespace, name: names.workload },
        podsOf(context, 'LogSet'),
      ),
      await context.ensureGone(Service, { namespace, name: names.discovery }),
      await context.ensureGone(Service, { namespace, name: names.headless }),
      await releaseOrphans(context),
    ];
    // Once more: one may have been made just before its workload went.
    if (!gone.every(Boolean) || (await podsThere(context, 'LogSet')).length > 0) return false;
    await removeClaims(context);
    await removeShared(context);
    this.#guard?.forget(context);
    return this.#options.buckets ? releaseBucket(context, this.#options.buckets) : true;
  }
}

const stores = { one: 'log store', many: 'log stores' };
const partitionOf = ({ partition }: GuardedRollout) => (partition === undefined ? {} : { partition });

/** Milliseconds between tries of what is refused; that a right was given wakes nobody. */
const refusalAgain = 300_000;
/** Milliseconds between looks while a store is down; changes of pods wake the controller before. */
const lookAgain = 15_000;

/** Writes what is seen of the stores into the status. @returns those that are down */
function reportStores(context: Context, spec: LogSetSpec, workload: KruiseStatefulSet): readonly StoreStatus[] {
  const { status, conditions, object } = context;
  const { availableStores, failedStores } = updateStores(context, podsOf(context, 'LogSet'), workload);
  const { namespace = '', name } = object.metadata;
  status.discovery = { port: PORT_LOG_SERVICE, address: `${logSetNames(name).discovery}.${namespace}.svc` };
  // The number of those that are up is in the lists; in the message it would be a write more for every dependant.
  if (availableStores.length >= spec.replicas) conditions.set('Ready', 'True', 'AllStoresUp', 'all log stores are up');
  else conditions.set('Ready', 'False', 'NoEnoughReadyStores', tooFew(spec.replicas, stores, 'up'));
  return failedStores;
}

/** Once bootstrapped, a spec that leaves the number open means the number of then, whatever `replicas` is now. */
function asBootstrapped(spec: LogSetSpec, members: readonly BootstrapMember[] | undefined): LogSetSpec {
  return members ? { ...spec, initialConfig: { logShardReplicas: members.length, ...spec.initialConfig } } : spec;
}

/** The bootstrap choice made earlier. @throws Resync when the annotation holds something else */
function bootstrapMembers(context: Context): readonly BootstrapMember[] | undefined {
  const text = context.object.metadata.annotations?.[ANNOTATION_BOOTSTRAP];
  if (!text) return undefined;
  try {
    return parseBootstrapMembers(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return refuse(context, 'BootstrapUnreadable', `annotation ${ANNOTATION_BOOTSTRAP} cannot be read: ${why}`);
  }
}
