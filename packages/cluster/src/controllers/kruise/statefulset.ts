import type { Pod } from '@coxswain/k8s';
import { KruiseStatefulSet, type KruiseStatefulSetStatus } from '@coxswain/k8s/kruise';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatSelector, selectorFromField } from '@coxswain/runtime/core';
import { revisionLabel } from '../revision/revisions.ts';
import type { StatefulEngine } from '../statefulset/engine.ts';
import { freeOrdinals, type StatefulModel } from '../statefulset/model.ts';
import { countPods } from '../statefulset/status.ts';
import { intOrPercent } from '../workload/int-or-percent.ts';
import { writeStatus } from '../workload/write-status.ts';
import { specifiedDelete } from './cloneset-plan.ts';
import { failureCondition } from './failure-condition.ts';
import { byPriority } from './update-order.ts';

const inPlacePolicy = { Recreate: 'never', InPlaceIfPossible: 'ifPossible', InPlaceOnly: 'only' } as const;

/** Reserved ordinals are numbers or ranges (`"3-5"`). */
export function reservedOrdinals(list: readonly (number | string)[] = []): Set<number> {
  const reserved = new Set<number>();
  for (const item of list) {
    const [from, to = from] = String(item).split('-').map(Number);
    for (let ordinal = from ?? 0; ordinal <= (to ?? -1); ordinal++) reserved.add(ordinal);
  }
  return reserved;
}

/** From the highest ordinal down to the partition; or, where the order is free, by priority, as many as the partition leaves. */
function sequenceOf({ spec }: KruiseStatefulSet): NonNullable<StatefulModel['update']['sequence']> {
  const { partition = 0, unorderedUpdate } = spec.updateStrategy?.rollingUpdate ?? {};
  const most = Math.max(0, (spec.replicas ?? 1) - partition);
  return (pods, target) => {
    const down = [...pods].reverse();
    if (!unorderedUpdate) return down.slice(0, most);
    const isUpdated = ({ metadata }: Pod) => metadata.deletionTimestamp || metadata.labels?.[revisionLabel] === target;
    const waiting = down.filter((pod) => !isUpdated(pod));
    return [...down.filter(isUpdated), ...byPriority(unorderedUpdate.priorityStrategy, waiting)].slice(0, most);
  };
}

function modelOf(set: KruiseStatefulSet): StatefulModel {
  const { spec } = set;
  const replicas = spec.replicas ?? 1;
  const rolling = spec.updateStrategy?.rollingUpdate;
  const retention = spec.persistentVolumeClaimRetentionPolicy;
  return {
    kind: KruiseStatefulSet,
    object: set,
    selector: spec.selector,
    template: spec.template,
    claims: spec.volumeClaimTemplates ?? [],
    serviceName: spec.serviceName ?? '',
    ordinals: freeOrdinals(replicas, 0, reservedOrdinals(spec.reserveOrdinals)),
    parallel: spec.podManagementPolicy === 'Parallel',
    scaleUnavailable: Math.max(
      1,
      intOrPercent(spec.scaleStrategy?.maxUnavailable, replicas, 'up', Number.MAX_SAFE_INTEGER),
    ),
    replacedLabel: specifiedDelete,
    minReadySeconds: rolling?.minReadySeconds ?? 0,
    update: {
      onDelete: spec.updateStrategy?.type === 'OnDelete',
      paused: rolling?.paused ?? false,
      partition: rolling?.partition ?? 0,
      maxUnavailable: Math.max(1, intOrPercent(rolling?.maxUnavailable, replicas, 'down', 1)),
      sequence: sequenceOf(set),
      inPlace: inPlacePolicy[rolling?.podUpdatePolicy ?? 'Recreate'],
      inPlaceGrace: rolling?.inPlaceUpdateStrategy?.gracePeriodSeconds ?? 0,
    },
    claimRetention: {
      whenDeleted: retention?.whenDeleted === 'Delete' ? 'Delete' : 'Retain',
      whenScaled: retention?.whenScaled === 'Delete' ? 'Delete' : 'Retain',
    },
    historyLimit: spec.revisionHistoryLimit ?? 10,
    status: set.status ?? {},
  };
}

/** The Advanced StatefulSet: reserved ordinals and in-place changes on top of the plain one. */
export class KruiseStatefulSetReconciler implements Reconciler {
  readonly #engine: StatefulEngine;

  constructor(engine: StatefulEngine) {
    this.#engine = engine;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, clock, key } = context;
    const set = cache.store(KruiseStatefulSet).get(key);
    if (!set) return undefined;
    const model = modelOf(set);
    const result = await this.#engine.step(context, model);
    const status: KruiseStatefulSetStatus = {
      ...countPods(model, result, clock.now()),
      observedGeneration: set.metadata.generation ?? 0,
      collisionCount: result.revisions.collisionCount,
      labelSelector: formatSelector(selectorFromField(set.spec.selector)),
      ...failureCondition('FailedCreatePod', result.failure, set.status, clock.now()),
    };
    await writeStatus(context, KruiseStatefulSet, set, status);
    if (result.failure !== undefined) throw result.failure;
    // the old revision is history from now on
    if (status.currentRevision !== result.revisions.current.metadata.name) return { requeueAfter: 0 };
    return result.wait === undefined ? undefined : { requeueAfter: result.wait };
  }
}
