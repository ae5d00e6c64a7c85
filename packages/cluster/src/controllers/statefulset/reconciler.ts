import { StatefulSet, type StatefulSetStatus } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { intOrPercent } from '../workload/int-or-percent.ts';
import { writeStatus } from '../workload/write-status.ts';
import type { StatefulEngine } from './engine.ts';
import { freeOrdinals, type StatefulModel } from './model.ts';
import { countPods } from './status.ts';

function modelOf(set: StatefulSet): StatefulModel | undefined {
  const { spec } = set;
  if (!spec) return undefined;
  const replicas = spec.replicas ?? 1;
  const rolling = spec.updateStrategy?.rollingUpdate;
  return {
    kind: StatefulSet,
    object: set,
    selector: spec.selector,
    template: spec.template,
    claims: spec.volumeClaimTemplates ?? [],
    serviceName: spec.serviceName ?? '',
    ordinals: freeOrdinals(replicas, spec.ordinals?.start ?? 0, new Set()),
    parallel: spec.podManagementPolicy === 'Parallel',
    minReadySeconds: spec.minReadySeconds ?? 0,
    update: {
      onDelete: spec.updateStrategy?.type === 'OnDelete',
      paused: false,
      partition: rolling?.partition ?? 0,
      maxUnavailable: Math.max(1, intOrPercent(rolling?.maxUnavailable, replicas, 'down', 1)),
      inPlace: 'never',
      inPlaceGrace: 0,
    },
    claimRetention: {
      whenDeleted: spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete' ? 'Delete' : 'Retain',
      whenScaled: spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete' ? 'Delete' : 'Retain',
    },
    historyLimit: spec.revisionHistoryLimit ?? 10,
    status: set.status ?? {},
  };
}

/** Keeps the numbered pods of a StatefulSet, in order, each with its own claims. */
export class StatefulSetReconciler implements Reconciler {
  readonly #engine: StatefulEngine;

  constructor(engine: StatefulEngine) {
    this.#engine = engine;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, clock, key } = context;
    const set = cache.store(StatefulSet).get(key);
    const model = set && modelOf(set);
    if (!set || !model) return undefined;
    const result = await this.#engine.step(context, model);
    const {
      updatedReadyReplicas: _ready,
      updatedAvailableReplicas: _available,
      ...counts
    } = countPods(model, result, clock.now());
    const status: StatefulSetStatus = {
      ...counts,
      observedGeneration: set.metadata.generation ?? 0,
      collisionCount: result.revisions.collisionCount,
      ...(set.status?.conditions ? { conditions: set.status.conditions } : {}),
    };
    await writeStatus(context, StatefulSet, set, status);
    if (result.failure !== undefined) throw result.failure;
    // the old revision is history from now on
    if (status.currentRevision !== result.revisions.current.metadata.name) return { requeueAfter: 0 };
    return result.wait === undefined ? undefined : { requeueAfter: result.wait };
  }
}
