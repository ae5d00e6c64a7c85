import { Deployment, Pod, ReplicaSet } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { claim } from '../workload/claim.ts';
import { ignoreRace } from '../workload/tolerant.ts';
import { writeStatus } from '../workload/write-status.ts';
import { conditionOf, progressing } from './conditions.ts';
import { CurrentReplicaSet } from './current.ts';
import { note, type Pass } from './pass.ts';
import { byAge, desiredOf, hasTemplate, revisionOf, sizeAnnotations } from './replica-sets.ts';
import { isSaturated, leewayOf, newSize, oldSizes, proportionalSizes, sizeOf } from './sizes.ts';
import { countedStatus, deadlineOf, isComplete, rollingStatus, untilDeadline } from './status.ts';

/** How the status is worked out: numbers only, or with the progress of the roll. */
type Report = typeof countedStatus;

function wantedBy({ deployment }: Pass): number {
  return deployment.spec?.replicas ?? 1;
}

function isSelectingAll({ spec }: Deployment): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/**
 * Rolls a Deployment's pods from template to template through one ReplicaSet each. Each pass takes one step (size the new ReplicaSet, or the old
 * ones, or follow a new number of replicas) and writes the status; what it changed brings the next.
 */
export class DeploymentReconciler implements Reconciler {
  readonly #recorder: EventRecorder;
  readonly #current: CurrentReplicaSet;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
    this.#current = new CurrentReplicaSet(recorder);
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const deployment = context.cache.store(Deployment).get(context.key);
    if (!deployment?.spec) return undefined;
    if (isSelectingAll(deployment)) return this.#refuse(context, deployment);
    const workload = { kind: Deployment, object: deployment, selector: deployment.spec.selector };
    const sets = (await claim(context, workload, ReplicaSet)).sort(byAge);
    const pass: Pass = { context, deployment, sets, changed: false, rested: false };
    if (deployment.metadata.deletionTimestamp) return this.#report(pass, countedStatus);
    await this.#notePause(pass);
    return this.#report(pass, await this.#step(pass));
  }

  async #step(pass: Pass): Promise<Report> {
    const { spec } = pass.deployment;
    if (spec?.paused) {
      await this.#current.sync(pass);
      await this.#resize(pass);
      await this.#forgetHistory(pass);
      return countedStatus;
    }
    const wanted = wantedBy(pass);
    await this.#current.sync(pass);
    if (pass.sets.some((set) => sizeOf(set) > 0 && (desiredOf(set) ?? wanted) !== wanted)) {
      await this.#resize(pass);
      return countedStatus;
    }
    const stepped = spec?.strategy?.type === 'Recreate' ? await this.#recreate(pass) : await this.#roll(pass);
    if (!stepped && isComplete(pass.deployment, pass.deployment.status)) await this.#forgetHistory(pass);
    return rollingStatus;
  }

  /** Such an object is from before they were refused. */
  async #refuse(context: ReconcileContext, deployment: Deployment): Promise<undefined> {
    this.#recorder.event(Deployment, deployment, {
      type: 'Warning',
      reason: 'SelectingAll',
      message: 'This deployment is selecting all pods. A non-empty selector is required.',
    });
    const observedGeneration = deployment.metadata.generation ?? 0;
    await writeStatus(context, Deployment, deployment, { ...deployment.status, observedGeneration });
    return undefined;
  }

  /** So that the time in which it rests does not count as lack of progress. */
  async #notePause(pass: Pass): Promise<void> {
    const { spec, status } = pass.deployment;
    const before = conditionOf(status?.conditions, 'Progressing')?.reason;
    if (deadlineOf(pass.deployment) === undefined || before === 'ProgressDeadlineExceeded') return;
    const resting = before === 'DeploymentPaused';
    pass.rested = Boolean(spec?.paused) !== resting;
    if (spec?.paused && !resting) await note(pass, progressing('Unknown', 'DeploymentPaused', 'Deployment is paused'));
    if (!spec?.paused && resting)
      await note(pass, progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed'));
  }

  /** Takes a step; answers whether it has only made room, and is to go on when that is there. */
  async #roll(pass: Pass): Promise<boolean> {
    const { deployment } = pass;
    const wanted = wantedBy(pass);
    const leeway = leewayOf(deployment);
    const current = await this.#current.ensure(pass);
    const size = newSize(wanted, current, pass.sets, leeway);
    if (size !== sizeOf(current)) {
      await this.#scale(pass, current, size);
      return true;
    }
    const old = pass.sets.filter((set) => set !== current && sizeOf(set) > 0);
    let shrunk = false;
    for (const [set, left] of oldSizes(wanted, current, old, leeway)) {
      if (left === sizeOf(set)) continue;
      await this.#scale(pass, set, left);
      shrunk = true;
    }
    return shrunk;
  }

  async #recreate(pass: Pass): Promise<boolean> {
    const old = pass.sets.filter((set) => !hasTemplate(set, pass.deployment));
    const active = old.filter((set) => sizeOf(set) > 0);
    for (const set of active) await this.#scale(pass, set, 0);
    if (active.length > 0 || old.some((set) => this.#hasPods(pass, set))) return true;
    const current = await this.#current.ensure(pass);
    await this.#scale(pass, current, wantedBy(pass));
    return false;
  }

  /** Whether pods of an old ReplicaSet still run or are on their way out. */
  #hasPods({ context }: Pass, set: ReplicaSet): boolean {
    if ((set.status?.replicas ?? 0) > 0) return true;
    return [...context.cache.store(Pod).by('controller', set.metadata.uid ?? '')].some(
      ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
    );
  }

  /** Follows a new number of replicas without moving on from template to template. */
  async #resize(pass: Pass): Promise<void> {
    const { deployment, sets } = pass;
    const wanted = wantedBy(pass);
    const active = sets.filter((set) => sizeOf(set) > 0);
    const current = sets.find((set) => hasTemplate(set, deployment));
    const only = active.length > 1 ? undefined : (active[0] ?? current ?? sets.at(-1));
    if (only) return this.#scale(pass, only, wanted);
    if (isSaturated(wanted, current)) {
      for (const set of active) if (set !== current) await this.#scale(pass, set, 0);
      return;
    }
    if (deployment.spec?.strategy?.type === 'Recreate') return;
    for (const [set, size] of proportionalSizes(wanted, active, deployment)) await this.#scale(pass, set, size, true);
  }

  /** @param noting also when only what the ReplicaSet knows of the Deployment's size is out of date */
  async #scale(pass: Pass, set: ReplicaSet, size: number, noting = false): Promise<void> {
    const { context, deployment } = pass;
    const from = sizeOf(set);
    const annotations = sizeAnnotations(wantedBy(pass), wantedBy(pass) + leewayOf(deployment).surge);
    const noted = Object.entries(annotations).every(([key, value]) => set.metadata.annotations?.[key] === value);
    if (from === size && (noted || !noting)) return;
    const { uid, resourceVersion } = set.metadata;
    const scaled = await context.client
      .of(ReplicaSet)
      .patch(keyOf(set), merge({ metadata: { uid, resourceVersion, annotations }, spec: { replicas: size } }));
    pass.sets = pass.sets.map((one) => (one === set ? scaled : one));
    pass.changed = true;
    if (from === size) return;
    this.#recorder.event(Deployment, deployment, {
      reason: 'ScalingReplicaSet',
      message: `Scaled ${size > from ? 'up' : 'down'} replica set ${set.metadata.name} from ${from} to ${size}`,
    });
  }

  async #forgetHistory({ context, deployment, sets }: Pass): Promise<void> {
    const limit = deployment.spec?.revisionHistoryLimit ?? 10;
    const old = sets
      .filter((set) => !hasTemplate(set, deployment) && !set.metadata.deletionTimestamp)
      .sort((a, b) => Number(revisionOf(a) - revisionOf(b)) || byAge(a, b));
    for (const set of old.slice(0, Math.max(0, old.length - limit))) {
      const seen = (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0);
      if (sizeOf(set) > 0 || (set.status?.replicas ?? 0) > 0 || !seen) continue;
      await context.client.of(ReplicaSet).delete(keyOf(set)).catch(ignoreRace);
    }
  }

  async #report(pass: Pass, report: Report): Promise<Result> {
    const { context, deployment, sets } = pass;
    const now = context.clock.now();
    const status = report(deployment, { current: sets.find((set) => hasTemplate(set, deployment)), all: sets }, now);
    if (await writeStatus(context, Deployment, deployment, status)) pass.changed = true;
    if (deployment.metadata.deletionTimestamp) return undefined;
    if (pass.changed) return { requeueAfter: 0 };
    const wait = untilDeadline(deployment, status, now);
    return wait === undefined ? undefined : { requeueAfter: wait };
  }
}
