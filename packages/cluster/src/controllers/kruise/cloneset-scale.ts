import { type ControllerRevision, type PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { CloneSet } from '@coxswain/k8s/kruise';
import { isAlreadyExists, keyOf, type Random, randomSuffix } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { revisionLabel } from '../revision/revisions.ts';
import { controlledPods, deletePod, isActive } from '../workload/pods.ts';
import { isRace } from '../workload/tolerant.ts';
import { byActivity, sameNodeRank } from './clone-order.ts';
import type { ClonePass } from './cloneset.ts';
import { type CloneDiffs, cloneDiffs, isCloneAvailable, isNamed, podsToKeep, upTo } from './cloneset-plan.ts';
import { claimsOf, clonePod, deleteClaim, ensureCloneClaims, instanceIdOf } from './cloneset-pods.ts';
import { podReadyGate } from './dress.ts';
import { setGate } from './in-place.ts';
import { isHooked, lifecycleOf, setLifecycle } from './lifecycle.ts';

/** Makes and removes pods of a CloneSet, and the claims that go with them. */
export class CloneScale {
  readonly #recorder: EventRecorder;
  readonly #random: Random;

  constructor(recorder: EventRecorder, random: Random) {
    this.#recorder = recorder;
    this.#random = random;
  }

  /** Takes one step; answers whether anything was done. */
  async step(pass: ClonePass): Promise<boolean> {
    const { context, facts, set } = pass;
    const kept = podsToKeep(facts);
    for (const pod of kept) await setLifecycle(context, pod, 'PreparingNormal');
    if (kept.length > 0) return true;
    const diffs = cloneDiffs(facts);
    if (diffs.create.wanted > 0) return this.#create(pass, diffs.create);
    const leaving = facts.active.filter((pod) => lifecycleOf(pod) === 'PreparingDelete');
    if (await this.#remove(pass, leaving)) return true;
    const named = facts.active.filter((pod) => isNamed(set, pod) && !leaving.includes(pod));
    const first = upTo(named, diffs.deleteReady, facts.now);
    if (await this.#remove(pass, first.pods)) return true;
    // named ones go before others do
    if (diffs.remove.count === 0 || named.length + leaving.length > 0) return false;
    return this.#remove(pass, upTo(this.#victims(pass, diffs.remove), first.left, facts.now).pods);
  }

  /** Without reuse, claims of pods that are gone go too. */
  async cleanClaims({ context, set }: ClonePass): Promise<void> {
    if (set.spec.scaleStrategy?.disablePVCReuse !== true) return;
    const active = new Set(controlledPods(context, set).filter(isActive).map(instanceIdOf));
    for (const claim of claimsOf(context, set)) if (!active.has(instanceIdOf(claim))) await deleteClaim(context, claim);
  }

  #victims({ facts, set }: ClonePass, { count, old }: CloneDiffs['remove']): readonly Pod[] {
    const isOld = (pod: Pod) => pod.metadata.labels?.[revisionLabel] !== facts.updateRevision;
    const isAvailable = (pod: Pod) => isCloneAvailable(pod, set.spec.minReadySeconds ?? 0, facts.now);
    const choose = (pods: readonly Pod[], number: number) =>
      [...pods].sort(byActivity({ isAvailable, rank: sameNodeRank(pods) })).slice(0, number);
    const some = choose(facts.active.filter(isOld), Math.min(old, count));
    const fresh = facts.active.filter((pod) => !isOld(pod));
    return [...some, ...choose(fresh, count - some.length)];
  }

  async #create(pass: ClonePass, { wanted, allowed, old }: CloneDiffs['create']): Promise<boolean> {
    const { context, revisions, set } = pass;
    if (wanted > allowed) {
      const message = `scaleUp is limited because of scaleStrategy.maxUnavailable, limit: ${allowed}`;
      this.#recorder.event(CloneSet, set, { type: 'Warning', reason: 'ScaleUpLimited', message });
    }
    // an id whose pod is still on its way out is kept for its replacement: the pod's end brings us back
    const leaving = new Set(controlledPods(context, set).map(instanceIdOf));
    const ids = this.#ids(pass, allowed).filter((id) => !leaving.has(id));
    const claims = claimsOf(context, set);
    let at = 0;
    for (let batch = 1; at < ids.length; batch *= 2) {
      const some = ids.slice(at, at + batch);
      const made = await Promise.allSettled(
        some.map((id, index) =>
          this.#createOne(pass, id, at + index < old ? revisions.current : revisions.update, claims),
        ),
      );
      const failed = made.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      at += some.length;
    }
    return ids.length > 0;
  }

  /** Ids of claims whose pod is gone, so that its replacement finds its data; then new ones. */
  #ids({ context, set }: ClonePass, count: number): string[] {
    const pods = controlledPods(context, set);
    const used = new Set(pods.filter(isActive).map(instanceIdOf));
    const taken = new Set(pods.map(instanceIdOf));
    const claimed = new Set(claimsOf(context, set).map(instanceIdOf));
    claimed.delete('');
    const ids = [...claimed].filter((id) => !used.has(id)).slice(0, count);
    while (ids.length < count) {
      const id = randomSuffix(this.#random);
      if (!taken.has(id) && !claimed.has(id) && !ids.includes(id)) ids.push(id);
    }
    return ids;
  }

  async #createOne(
    { context, facts, set }: ClonePass,
    id: string,
    revision: ControllerRevision,
    claims: readonly PersistentVolumeClaim[],
  ): Promise<void> {
    const pod = clonePod(set, id, revision, facts.now);
    try {
      await ensureCloneClaims(context, set, id, claims);
      await context.client.of(Pod).create(pod);
      this.#tell(set, 'SuccessfulCreate', `succeed to create pod ${pod.metadata.name}`);
    } catch (error) {
      if (isAlreadyExists(error)) return;
      if (!isRace(error)) {
        const cause = error instanceof Error ? error.message : String(error);
        this.#tell(set, 'FailedCreate', `failed to create pod: ${cause}, pod: ${JSON.stringify(pod)}`.slice(0, 1024));
      }
      throw error;
    }
  }

  /** Removes pods with their claims, after whoever holds them before deletion has let go. Answers whether anything was done. */
  async #remove(pass: ClonePass, pods: readonly Pod[]): Promise<boolean> {
    const { context, set } = pass;
    const hook = set.spec.lifecycle?.preDelete;
    let done = false;
    for (const pod of pods) {
      if (isHooked(hook, pod)) {
        if (hook?.markPodNotReady) await setGate(context, pod, podReadyGate, false, 'PreparingDelete');
        if (await setLifecycle(context, pod, 'PreparingDelete')) done = true;
        continue;
      }
      await this.#removeOne(pass, pod);
      done = true;
    }
    return done;
  }

  async #removeOne({ context, set }: ClonePass, pod: Pod): Promise<void> {
    const { name } = keyOf(pod);
    try {
      await deletePod(context.client, pod);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      this.#tell(set, 'FailedDelete', `failed to delete pod ${name}: ${cause}`);
      throw error;
    }
    this.#tell(set, 'SuccessfulDelete', `succeed to delete pod ${name}`);
    for (const claim of claimsOf(context, set))
      if (instanceIdOf(claim) === instanceIdOf(pod)) await deleteClaim(context, claim);
  }

  #tell(set: CloneSet, reason: string, message: string): void {
    const type = reason.startsWith('Failed') ? 'Warning' : 'Normal';
    this.#recorder.event(CloneSet, set, { type, reason, message });
  }
}
