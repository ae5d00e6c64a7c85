import { type ControllerRevision, Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import {
  type RevisionOwner,
  type Revisions,
  revisionLabel,
  syncRevisions,
  truncateRevisions,
} from '../revision/revisions.ts';
import { claim } from '../workload/claim.ts';
import { deletePod, isActive, isPodReady, sooner, untilAvailable } from '../workload/pods.ts';
import { isRace } from '../workload/tolerant.ts';
import { Claims } from './claims.ts';
import { type InPlaceUpdater, neverInPlace } from './in-place-seam.ts';
import { ordinalOf, type StatefulModel } from './model.ts';
import { podIndexLabel, podNameLabel, podOf } from './pods.ts';

/** What one pass saw and left behind. */
export interface StatefulResult {
  /** The pods of the set, as they are now; those that have ended are among them. */
  readonly pods: readonly Pod[];
  readonly revisions: Revisions;
  /** Milliseconds until time alone changes something. */
  readonly wait: number | undefined;
  /** What went wrong on the way: to be thrown when the status is written. */
  readonly failure: unknown;
}

interface Pass {
  readonly context: ReconcileContext;
  readonly model: StatefulModel;
  readonly revisions: Revisions;
  readonly pods: Map<number, Pod>;
  wait: number | undefined;
}

function hasEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

function revisionOwner(model: StatefulModel): RevisionOwner {
  return {
    kind: model.kind,
    object: model.object,
    template: model.template,
    selector: model.selector,
    currentName: model.status.currentRevision,
    collisionCount: model.status.collisionCount ?? 0,
    historyLimit: model.historyLimit,
  };
}

/** Moves the pods of a stateful set one step towards what its model wants. Shared by both flavours of StatefulSet. */
export class StatefulEngine {
  readonly #recorder: EventRecorder;
  readonly #claims: Claims;
  readonly #inPlace: InPlaceUpdater;

  constructor(recorder: EventRecorder, inPlace: InPlaceUpdater = neverInPlace) {
    this.#recorder = recorder;
    this.#claims = new Claims(recorder);
    this.#inPlace = inPlace;
  }

  async step(context: ReconcileContext, model: StatefulModel): Promise<StatefulResult> {
    const { name: setName, deletionTimestamp } = model.object.metadata;
    const member = (pod: Pod) => ordinalOf(setName, pod.metadata.name) !== undefined;
    const owned = await claim(context, model, Pod, { member });
    const owner = revisionOwner(model);
    const revisions = await syncRevisions(context, owner);
    const pods = new Map(owned.map((pod) => [ordinalOf(setName, pod.metadata.name) ?? -1, pod]));
    const pass: Pass = { context, model, revisions, pods, wait: undefined };
    let failure: unknown;
    try {
      if (!deletionTimestamp) await this.#converge(pass);
    } catch (error) {
      failure = error;
    }
    const inUse = new Set(owned.map((pod) => pod.metadata.labels?.[revisionLabel] ?? ''));
    await truncateRevisions(context, owner, revisions, inUse);
    return { pods: this.#present(pass), revisions, wait: pass.wait, failure };
  }

  /** The pods as they are after this pass. */
  #present(pass: Pass): Pod[] {
    const { context, model, pods } = pass;
    const store = context.cache.store(Pod);
    const present = [...pods.values()].map((pod) => store.get(keyOf(pod))).filter((pod) => pod !== undefined);
    const now = context.clock.now();
    for (const pod of present)
      pass.wait = sooner(pass.wait, untilAvailable(pod, model.minReadySeconds, now) || undefined);
    return present;
  }

  #ordinal({ model }: Pass, pod: Pod): number {
    return ordinalOf(model.object.metadata.name, pod.metadata.name) ?? -1;
  }

  #isCondemned(pass: Pass, pod: Pod): boolean {
    return !pass.model.ordinals.includes(this.#ordinal(pass, pod));
  }

  async #converge(pass: Pass): Promise<void> {
    await this.#goOn(pass);
    if (!(await this.#fill(pass))) return;
    if (!(await this.#shrink(pass))) return;
    await this.#roll(pass);
  }

  /** What has begun with a pod goes on, whatever the order of the pods holds back. */
  async #goOn(pass: Pass): Promise<void> {
    for (const pod of pass.pods.values()) if (isActive(pod)) await this.#prepare(pass, pod);
  }

  async #prepare(pass: Pass, pod: Pod): Promise<void> {
    const wait = await this.#inPlace.prepare(pass.context, pass.model, pod, pass.revisions);
    pass.wait = sooner(pass.wait, wait);
  }

  /** Whether a pod counts for the order: it runs unchanged, is ready and has been so for long enough. */
  #isHealthy({ context, model }: Pass, pod: Pod): boolean {
    if (!isActive(pod) || !isPodReady(pod) || this.#inPlace.isChanging(pod)) return false;
    return untilAvailable(pod, model.minReadySeconds, context.clock.now()) === 0;
  }

  /** Makes pods that are missing and replaces those that ended; answers whether the pass may go on. */
  async #fill(pass: Pass): Promise<boolean> {
    const { context, model, pods } = pass;
    const isAway = (pod: Pod) => !isActive(pod) || !isPodReady(pod);
    let room = (model.scaleUnavailable ?? model.ordinals.length) - [...pods.values()].filter(isAway).length;
    for (const [index, ordinal] of model.ordinals.entries()) {
      const pod = pods.get(ordinal);
      // the next one waits until another is ready
      if (!pod && model.parallel && room-- <= 0) return false;
      if (!pod) await this.#create(pass, ordinal, this.#revisionFor(pass, index));
      else if (hasEnded(pod)) await this.#remove(pass, pod);
      else if (pod.status?.phase === 'Pending' && isActive(pod)) await this.#claims.ensure(context, model, ordinal);
      const present = pods.get(ordinal);
      if (!model.parallel && !(present && this.#isHealthy(pass, present))) return false;
      if (present && !hasEnded(present)) await this.#fixIdentity(pass, ordinal, present);
    }
    return true;
  }

  /** What tells a pod apart, and who its claims go with. */
  async #fixIdentity({ context, model, pods }: Pass, ordinal: number, pod: Pod): Promise<void> {
    await this.#claims.sync(context, model, pod, false);
    const { name, uid, labels } = pod.metadata;
    if (labels?.[podNameLabel] === name) return;
    const fixed = merge({ metadata: { uid, labels: { [podNameLabel]: name, [podIndexLabel]: String(ordinal) } } });
    pods.set(ordinal, await context.client.of(Pod).patch(keyOf(pod), fixed));
    this.#tell(model, 'update', name);
  }

  #tell({ kind, object }: StatefulModel, verb: 'create' | 'update' | 'delete', pod: string, failure?: unknown): void {
    const done = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
    // the built-in kind writes it large, OpenKruise's small
    const subject = `${kind.group === 'apps' ? done : verb} Pod ${pod} in StatefulSet ${object.metadata.name}`;
    if (failure === undefined) {
      this.#recorder.event(kind, object, { reason: `Successful${done}`, message: `${subject} successful` });
      return;
    }
    const cause = failure instanceof Error ? failure.message : String(failure);
    const message = `${subject} failed error: ${cause}`;
    this.#recorder.event(kind, object, { type: 'Warning', reason: `Failed${done}`, message });
  }

  async #remove({ context, model }: Pass, pod: Pod): Promise<void> {
    if (pod.metadata.deletionTimestamp || (await this.#inPlace.holds(context, model, pod))) return;
    try {
      await deletePod(context.client, pod);
    } catch (error) {
      this.#tell(model, 'delete', pod.metadata.name, error);
      throw error;
    }
    this.#tell(model, 'delete', pod.metadata.name);
  }

  #revisionFor({ model, revisions }: Pass, index: number): ControllerRevision {
    return !model.update.onDelete && index < model.update.partition ? revisions.current : revisions.update;
  }

  async #create(pass: Pass, ordinal: number, revision: ControllerRevision): Promise<void> {
    const { context, model, pods } = pass;
    const pod = this.#inPlace.dress(podOf(model, ordinal, revision), context.clock.now());
    const { name } = pod.metadata;
    try {
      // a claim of an earlier pod is still on its way out: its deletion brings us back
      if (this.#claims.isStale(context, model, ordinal)) return;
      if (!(await this.#claims.ensure(context, model, ordinal))) return;
      const created = await context.client.of(Pod).create(pod);
      pods.set(ordinal, created);
      await this.#prepare(pass, created);
      this.#tell(model, 'create', name);
    } catch (error) {
      // a pod of that name is on its way out (or a stranger's): its deletion brings us back
      if (isAlreadyExists(error)) return;
      if (!isRace(error)) this.#tell(model, 'create', name, error);
      throw error;
    }
  }

  /** Removes pods whose ordinal should not exist, from the top. In order, of the pods that are not healthy only the lowest may go. */
  async #shrink(pass: Pass): Promise<boolean> {
    const { context, model, pods } = pass;
    const condemned = [...pods.values()].filter((pod) => this.#isCondemned(pass, pod));
    condemned.sort((a, b) => this.#ordinal(pass, b) - this.#ordinal(pass, a));
    for (const pod of condemned) await this.#claims.sync(context, model, pod, true);
    const sick = condemned.filter((pod) => !this.#isHealthy(pass, pod));
    for (const pod of condemned) {
      const blocked = !model.parallel && sick.includes(pod) && pod !== sick.at(-1);
      if (!blocked) await this.#remove(pass, pod);
      if (!model.parallel) return false;
    }
    return true;
  }

  /** Moves pods to the update revision from the highest ordinal down, at most `maxUnavailable` away at a time. */
  async #roll(pass: Pass): Promise<void> {
    const { model, pods, revisions } = pass;
    const { onDelete, paused, partition, maxUnavailable } = model.update;
    const wanted = model.ordinals.map((ordinal) => pods.get(ordinal)).filter((pod) => pod !== undefined);
    if (onDelete || paused) return;
    if (model.update.sequence) return this.#rollInSequence(pass, model.update.sequence);
    const target = revisions.update.metadata.name;
    const away = new Set(wanted.filter((pod) => !this.#isHealthy(pass, pod)));
    const missing = model.ordinals.length - wanted.length;
    const old = model.ordinals
      .slice(partition)
      .reverse()
      .map((ordinal) => pods.get(ordinal))
      .filter((pod) => pod && pod.metadata.labels?.[revisionLabel] !== target && !pod.metadata.deletionTimestamp)
      .filter((pod) => pod !== undefined);
    // replacing a pod that is away already costs nothing, where no order says to wait
    const free = model.parallel ? old.filter((pod) => away.has(pod)) : [];
    for (const pod of free) await this.#replace(pass, pod);
    const budget = Math.max(0, maxUnavailable - away.size - missing);
    for (const pod of old.filter((candidate) => !away.has(candidate)).slice(0, budget)) await this.#replace(pass, pod);
  }

  /** One after the other: a pod that is away is moved on at once, others as long as not too many are away. */
  async #rollInSequence(pass: Pass, sequence: NonNullable<StatefulModel['update']['sequence']>): Promise<void> {
    const { model, pods, revisions } = pass;
    const target = revisions.update.metadata.name;
    const wanted = model.ordinals.map((ordinal) => pods.get(ordinal)).filter((pod) => pod !== undefined);
    const away = new Set(wanted.filter((pod) => !this.#isHealthy(pass, pod)));
    const missing = model.ordinals.length - wanted.length;
    const isFull = (pod: Pod) => away.size + missing >= model.update.maxUnavailable && !away.has(pod);
    for (const pod of wanted
      .filter(({ metadata }) => model.replacedLabel && metadata.labels?.[model.replacedLabel])
      .reverse()) {
      if (isFull(pod)) continue;
      await this.#remove(pass, pod);
      away.add(pod);
    }
    for (const pod of sequence(wanted, target)) {
      if (pod.metadata.labels?.[revisionLabel] === target) continue;
      if (isFull(pod)) return;
      if (!pod.metadata.deletionTimestamp) await this.#replace(pass, pod);
      away.add(pod);
    }
  }

  async #replace(pass: Pass, pod: Pod): Promise<void> {
    const { context, model, revisions } = pass;
    const changed = await this.#inPlace.update(context, model, pod, revisions);
    if (changed) {
      pass.wait = sooner(pass.wait, changed.wait);
      return;
    }
    if (model.update.inPlace === 'only') return;
    await this.#remove(pass, pod);
  }
}
