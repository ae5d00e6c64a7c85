import { Deployment, ReplicaSet } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { claim } from '../workload/claim.ts';
import { controlledPods } from '../workload/pods.ts';
import { ignoreRace } from '../workload/tolerant.ts';
import { writeStatus } from '../workload/write-status.ts';
import {
  desiredOf,
  hasTemplate,
  inheritedAnnotations,
  newReplicaSet,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
} from './replica-sets.ts';
import { leewayOf, newSize, oldSizes, proportionalSizes, sizeOf } from './sizes.ts';
import { deploymentStatus, untilDeadline } from './status.ts';

interface Pass {
  readonly context: ReconcileContext;
  readonly deployment: Deployment;
  /** Raised when a name was taken by a ReplicaSet of another template. */
  collisionCount: number | undefined;
}

/** Rolls a Deployment's pods from template to template through one ReplicaSet each. */
export class DeploymentReconciler implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, clock, key } = context;
    const deployment = cache.store(Deployment).get(key);
    if (!deployment?.spec) return undefined;
    const pass: Pass = { context, deployment, collisionCount: deployment.status?.collisionCount };
    if (!deployment.metadata.deletionTimestamp) await this.#converge(pass);
    const all = await this.#sets(pass);
    const current = all.find((set) => hasTemplate(set, deployment));
    const counts = deploymentStatus(deployment, current, all, leewayOf(deployment), clock.now());
    const { collisionCount } = pass;
    const status = collisionCount === undefined ? counts : { ...counts, collisionCount };
    await writeStatus(context, Deployment, deployment, status);
    const wait = untilDeadline({ ...deployment, status }, clock.now());
    return wait === undefined ? undefined : { requeueAfter: wait };
  }

  /** The Deployment's ReplicaSets, oldest first. */
  async #sets({ context, deployment }: Pass): Promise<ReplicaSet[]> {
    const selector = deployment.spec?.selector ?? {};
    const sets = await claim(context, { kind: Deployment, object: deployment, selector }, ReplicaSet);
    return sets.sort((a, b) => revisionOf(a) - revisionOf(b) || a.metadata.name.localeCompare(b.metadata.name));
  }

  async #converge(pass: Pass): Promise<void> {
    const { deployment } = pass;
    const sets = await this.#sets(pass);
    const wanted = deployment.spec?.replicas ?? 1;
    const resized = sets.some((set) => sizeOf(set) > 0 && (desiredOf(set) ?? wanted) !== wanted);
    if (deployment.spec?.paused) return this.#resize(pass, sets);
    if (resized) {
      await this.#resize(pass, sets);
      return this.#roll(pass, await this.#sets(pass));
    }
    return this.#roll(pass, sets);
  }

  async #roll(pass: Pass, sets: readonly ReplicaSet[]): Promise<void> {
    const { context, deployment } = pass;
    const wanted = deployment.spec?.replicas ?? 1;
    const leeway = leewayOf(deployment);
    const found = sets.find((set) => hasTemplate(set, deployment));
    const old = sets.filter((set) => set !== found);
    const recreate = deployment.spec?.strategy?.type === 'Recreate';
    if (recreate) {
      for (const set of old) if (sizeOf(set) > 0) await this.#scale(pass, set, 0);
      if (old.some((set) => this.#hasPods(context, set))) return;
    }
    const current = await this.#ensureCurrent(pass, found, sets);
    if (recreate) {
      if (sizeOf(current) !== wanted) await this.#scale(pass, current, wanted);
    } else {
      const size = newSize(wanted, current, [current, ...old], leeway);
      const grown = size === sizeOf(current) ? current : await this.#scale(pass, current, size);
      const alive = old.filter((set) => sizeOf(set) > 0);
      for (const [set, left] of oldSizes(wanted, grown, alive, leeway))
        if (left !== sizeOf(set)) await this.#scale(pass, set, left);
    }
    await this.#forgetHistory(pass, old);
  }

  /** Whether pods of an old ReplicaSet still run or are on their way out. */
  #hasPods(context: ReconcileContext, set: ReplicaSet): boolean {
    return controlledPods(context, set).some(
      ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
    );
  }

  /** Follows a new number of replicas without moving on from template to template. */
  async #resize(pass: Pass, sets: readonly ReplicaSet[]): Promise<void> {
    const { deployment } = pass;
    const wanted = deployment.spec?.replicas ?? 1;
    const active = sets.filter((set) => sizeOf(set) > 0);
    const newest = sets.find((set) => hasTemplate(set, deployment)) ?? sets.at(-1);
    const only = active.length > 1 ? undefined : (active[0] ?? newest);
    if (only) {
      if (sizeOf(only) !== wanted || desiredOf(only) !== wanted) await this.#scale(pass, only, wanted);
      return;
    }
    if (deployment.spec?.strategy?.type === 'Recreate') return;
    for (const [set, size] of proportionalSizes(wanted, active, deployment))
      if (size !== sizeOf(set) || desiredOf(set) !== wanted) await this.#scale(pass, set, size);
  }

  /** The ReplicaSet of the present template, with the newest revision number. */
  async #ensureCurrent(pass: Pass, found: ReplicaSet | undefined, sets: readonly ReplicaSet[]): Promise<ReplicaSet> {
    const { context, deployment } = pass;
    const newest = Math.max(0, ...sets.filter((set) => set !== found).map(revisionOf));
    const revision = String(found && revisionOf(found) > newest ? revisionOf(found) : newest + 1);
    const wanted = deployment.spec?.replicas ?? 1;
    const surge = leewayOf(deployment).surge;
    const annotations = { [revisionAnnotation]: revision, ...sizeAnnotations(wanted, wanted + surge) };
    await this.#setRevision(context, deployment, revision);
    if (found)
      return this.#refresh(context, deployment, found, { ...inheritedAnnotations(deployment), ...annotations });
    const room = wanted + surge - sets.reduce((sum, set) => sum + sizeOf(set), 0);
    const size = deployment.spec?.strategy?.type === 'Recreate' ? wanted : Math.max(0, Math.min(wanted, room));
    return this.#createSet(pass, size, annotations);
  }

  /** When another template has taken the name, it counts up and takes the next. */
  async #createSet(pass: Pass, size: number, annotations: Record<string, string>): Promise<ReplicaSet> {
    const { context, deployment } = pass;
    const sets = context.client.of(ReplicaSet);
    for (let attempt = 0; ; attempt++) {
      const wanted = newReplicaSet(deployment, size, annotations, pass.collisionCount ?? 0);
      try {
        const created = await sets.create(wanted);
        if (size > 0) this.#recordScaling(deployment, created, 0, size);
        return created;
      } catch (error) {
        if (!isAlreadyExists(error) || attempt === 10) throw error;
        pass.collisionCount = (pass.collisionCount ?? 0) + 1;
      }
    }
  }

  async #refresh(
    { client }: ReconcileContext,
    deployment: Deployment,
    set: ReplicaSet,
    annotations: Record<string, string>,
  ): Promise<ReplicaSet> {
    const sameAnnotations = Object.entries(annotations).every(
      ([key, value]) => set.metadata.annotations?.[key] === value,
    );
    const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
    if (sameAnnotations && (set.spec?.minReadySeconds ?? 0) === minReadySeconds) return set;
    return client.of(ReplicaSet).patch(keyOf(set), merge({ metadata: { annotations }, spec: { minReadySeconds } }));
  }

  async #setRevision({ client, key }: ReconcileContext, deployment: Deployment, revision: string): Promise<void> {
    if (deployment.metadata.annotations?.[revisionAnnotation] === revision) return;
    // Through the status: a new annotation of its own would count as a generation.
    const metadata = { uid: deployment.metadata.uid, annotations: { [revisionAnnotation]: revision } };
    await client.of(Deployment).patch(key, merge({ metadata }), { subresource: 'status' });
  }

  async #scale({ context, deployment }: Pass, set: ReplicaSet, size: number): Promise<ReplicaSet> {
    const wanted = deployment.spec?.replicas ?? 1;
    const annotations = sizeAnnotations(wanted, wanted + leewayOf(deployment).surge);
    const scaled = await context.client
      .of(ReplicaSet)
      .patch(keyOf(set), merge({ metadata: { uid: set.metadata.uid, annotations }, spec: { replicas: size } }));
    if (size !== sizeOf(set)) this.#recordScaling(deployment, set, sizeOf(set), size);
    return scaled;
  }

  #recordScaling(deployment: Deployment, set: ReplicaSet, from: number, to: number): void {
    this.#recorder.event(Deployment, deployment, {
      reason: 'ScalingReplicaSet',
      message: `Scaled ${to > from ? 'up' : 'down'} replica set ${set.metadata.name} from ${from} to ${to}`,
    });
  }

  async #forgetHistory({ context, deployment }: Pass, old: readonly ReplicaSet[]): Promise<void> {
    const limit = deployment.spec?.revisionHistoryLimit ?? 10;
    const idle = old.filter(
      (set) =>
        sizeOf(set) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0) &&
        !set.metadata.deletionTimestamp,
    );
    for (const set of idle.slice(0, Math.max(0, idle.length - limit)))
      await context.client.of(ReplicaSet).delete(keyOf(set)).catch(ignoreRace);
  }
}
