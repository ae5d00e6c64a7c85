import { PersistentVolumeClaim } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { type Action, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { deepEqual, ignoreNotFound, keyOf } from '@coxswain/runtime/core';
import { ANNOTATION_BOOTSTRAP, LogSet, type LogSetSpec, logSetNames, setLabels, VOLUME_DATA } from '../api/index.ts';
import { type BootstrapMember, chooseBootstrapMembers } from '../config/index.ts';
import { type LogSetPlan, planLogSet } from '../plan/index.ts';
import { claimRetention } from '../pods/index.ts';
import { applyPlan, keyOfSet, liveSet } from './children.ts';
import { isStillDown } from './failover.ts';
import type { LogScale } from './log-scale.ts';
import { orphanPod } from './orphans.ts';
import { ordinalOf, type StoreStatus } from './store-status.ts';
import { growClaims } from './volumes.ts';

type Context = ActorContext<LogSet>;

/** What a LogSet's plan is made from. */
export interface LogSetInput {
  readonly spec: LogSetSpec;
  readonly members: readonly BootstrapMember[];
  /** The workload that the rest was decided on. */
  readonly live: KruiseStatefulSet | undefined;
  readonly reserved: readonly number[];
  readonly scale: LogScale;
}

/** Milliseconds between looks at what is known late. */
const lookAgain = 5_000;

export function liveWorkload(context: Context): KruiseStatefulSet | undefined {
  const { namespace, name } = keyOfSet(context.object);
  return context.store(KruiseStatefulSet).get({ namespace, name: logSetNames(name).workload });
}

/** What all children are to be. */
export function logSetPlan(context: Context, input: LogSetInput): LogSetPlan {
  const { members, reserved, scale } = input;
  const spec = { ...input.spec, replicas: scale.replicas };
  const set = keyOfSet(context.object);
  const live = liveSet(context, 'LogSet', spec, liveWorkload(context), logSetNames(set.name).config);
  return planLogSet(set, spec, members, reserved, live, scale);
}

/**
 * Brings all children to what the spec wants. The ordinals out of use are carried on from the workload as it is known: from one that is known
 * late, a store would come back without its data that has been replaced meanwhile. So it is written only if it is still that one; what others said in
 * its status meanwhile does not matter.
 * @throws ApiError Conflict
 */
export function syncLogSet(context: Context, input: LogSetInput): Promise<KruiseStatefulSet> {
  const plan = logSetPlan(context, input);
  const { resourceVersion } = (decidedOn(input.live, liveWorkload(context)) ?? input.live)?.metadata ?? {};
  if (resourceVersion === undefined) return applyPlan(context, KruiseStatefulSet, plan);
  const workload = { ...plan.workload, metadata: { ...plan.workload.metadata, resourceVersion } };
  return applyPlan(context, KruiseStatefulSet, { ...plan, workload });
}

/** The workload as it is known now, where it still says what was decided on. */
function decidedOn(
  then: KruiseStatefulSet | undefined,
  now: KruiseStatefulSet | undefined,
): KruiseStatefulSet | undefined {
  const said = (one: KruiseStatefulSet | undefined) => [
    one?.metadata.uid,
    one?.metadata.generation,
    one?.metadata.deletionTimestamp,
    one?.metadata.annotations,
  ];
  return deepEqual(said(then), said(now)) ? now : undefined;
}

/**
 * Chooses the bootstrap members and keeps the choice, before anything is created that depends on it.
 * @param earlier the choice of a LogSet before this one, whose stores are there
 */
export function decideBootstrap(spec: LogSetSpec, earlier?: string): Action<LogSet> {
  return {
    name: 'Bootstrap',
    async run({ client, object, signal }) {
      const { resourceVersion } = object.metadata;
      const choice = earlier ?? JSON.stringify(chooseBootstrapMembers(spec));
      const annotations = { [ANNOTATION_BOOTSTRAP]: choice };
      const body = { metadata: { resourceVersion, annotations } };
      await client.of(LogSet).patch(keyOf(object), merge(body), { signal });
    },
  };
}

/** Grows the volumes of all stores, then the template for those to come. */
export function growLogVolumes(input: LogSetInput, size: string): Action<LogSet> {
  return {
    name: 'GrowVolumes',
    async run(context) {
      await growClaims(context, 'LogSet', size);
      await syncLogSet(context, input);
    },
  };
}

/** Replaces a failed store by one of the next free ordinal. One store at a time. */
export function replaceStore(input: LogSetInput, { podName = '' }: StoreStatus): Action<LogSet> {
  return {
    name: 'Failover',
    async run(context) {
      const ordinal = ordinalOf(podName);
      if (Number.isNaN(ordinal))
        throw new Error(`pod ${podName} of LogSet ${context.object.metadata.name} has no ordinal`);
      if (!(await isStillDown(context, podName))) throw new Resync(`${podName} is not down any more`, lookAgain);
      if (input.spec.failedPodStrategy === 'Orphan') await orphanPod(context, podName);
      await syncLogSet(context, { ...input, reserved: [...input.reserved, ordinal].sort((a, b) => a - b) });
      const message = `log store ${podName} was down for ${input.spec.storeFailureTimeout} and is being replaced`;
      context.event({ type: 'Warning', reason: 'StoreReplaced', message, action: 'Failover' });
    },
  };
}

/** Volumes of stores that were taken away stay while the service lives; with it they go, unless they are to be retained. */
export async function removeClaims(context: Context): Promise<void> {
  const { object, client, signal } = context;
  if (claimRetention(object.spec) === 'Retain') return;
  const { namespace, name } = keyOfSet(object);
  const claims = client.of(PersistentVolumeClaim);
  const prefix = `${VOLUME_DATA}-${logSetNames(name).workload}-`;
  for await (const claim of claims.listAll({ namespace, labels: setLabels('LogSet', namespace, name), signal })) {
    if (!claim.metadata.name.startsWith(prefix) || claim.metadata.deletionTimestamp) continue;
    const { uid = '' } = claim.metadata;
    await ignoreNotFound(claims.delete(keyOf(claim), { preconditions: { uid }, signal }));
  }
}
