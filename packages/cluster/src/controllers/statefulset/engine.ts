import { type ControllerRevision, Pod } from '@coxswain/k8s';
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
import { claimPods, deletePod, isActive, isPodReady, sooner, untilAvailable } from '../workload/pods.ts';
import { isRace } from '../workload/tolerant.ts';
import { ensureClaims, syncClaimOwners } from './claims.ts';
import { type InPlaceUpdater, neverInPlace } from './in-place-seam.ts';
import { ordinalOf, type StatefulModel } from './model.ts';
import { podOf } from './pods.ts';

/** What one pass saw and left behind. */
export interface StatefulResult {
  /** Pods with an ordinal that should exist, as they are now. */
  readonly pods: readonly Pod[];
  /** All pods of the set that have not ended. */
  readonly all: readonly Pod[];
  readonly revisions: Revisions;
  /** Milliseconds until time alone changes something. */
  readonly wait: number | undefined;
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
    labels: { ...model.selector.matchLabels },
    currentName: model.status.currentRevision,
    historyLimit: model.historyLimit,
  };
}

/** Moves the pods of a stateful set one step towards what its model wants. Shared by both flavours of StatefulSet. */
export class StatefulEngine {
  readonly #recorder: EventRecorder;
  readonly #inPlace: InPlaceUpdater;

  constructor(recorder: EventRecorder, inPlace: InPlaceUpdater = neverInPlace) {
    this.#recorder = recorder;
    this.#inPlace = inPlace;
  }

  async step(context: ReconcileContext, model: StatefulModel): Promise<StatefulResult> {
    const owned = await claimPods(context, model);
    const owner = revisionOwner(model);
    const revisions = await syncRevisions(context, owner);
    const pods = new Map<number, Pod>();
    for (const pod of owned) {
      const ordinal = ordinalOf(model.object.metadata.name, pod.metadata.name);
      if (ordinal !== undefined) pods.set(ordinal, pod);
    }
    const pass: Pass = { context, model, revisions, pods, wait: undefined };
    if (!model.object.metadata.deletionTimestamp) await this.#converge(pass);
    for (const pod of pods.values()) await syncClaimOwners(context, model, pod, this.#isCondemned(pass, pod));
    const inUse = new Set(owned.map((pod) => pod.metadata.labels?.[revisionLabel] ?? ''));
    await truncateRevisions(context, owner, revisions, inUse);
    const all = this.#present(pass);
    return { pods: all.filter((pod) => !this.#isCondemned(pass, pod)), all, revisions, wait: pass.wait };
  }

  /** The pods as they are after this pass, without those that have ended. */
  #present(pass: Pass): Pod[] {
    const { context, model, pods } = pass;
    const store = context.cache.store(Pod);
    const present = [...pods.values()]
      .map((pod) => store.get(keyOf(pod)))
      .filter((pod) => pod !== undefined)
      .filter((pod) => !hasEnded(pod));
    const now = context.clock.now();
    for (const pod of present)
      pass.wait = sooner(pass.wait, untilAvailable(pod, model.minReadySeconds, now) || undefined);
    return present;
  }

  #isCondemned({ model }: Pass, pod: Pod): boolean {
    const ordinal = ordinalOf(model.object.metadata.name, pod.metadata.name);
    return ordinal !== undefined && !model.ordinals.includes(ordinal);
  }

  async #converge(pass: Pass): Promise<void> {
    await this.#goOnChanging(pass);
    if (!(await this.#fill(pass))) return;
    if (!(await this.#shrink(pass))) return;
    await this.#roll(pass);
  }

  /** A change in place that waits for its grace period goes on, whatever else the order of the pods holds back. */
  async #goOnChanging(pass: Pass): Promise<void> {
    const target = pass.revisions.update.metadata.name;
    for (const pod of pass.pods.values())
      if (isActive(pod) && this.#inPlace.isChanging(pod) && pod.metadata.labels?.[revisionLabel] !== target)
        await this.#replace(pass, pod);
  }

  /** Whether a pod counts for the order: it runs unchanged, is ready and has been so for long enough. */
  #isHealthy({ context, model }: Pass, pod: Pod): boolean {
    if (!isActive(pod) || !isPodReady(pod) || this.#inPlace.isChanging(pod)) return false;
    return untilAvailable(pod, model.minReadySeconds, context.clock.now()) === 0;
  }

  /** Makes pods that are missing and replaces those that ended; answers whether the pass may go on. */
  async #fill(pass: Pass): Promise<boolean> {
    const { context, model, pods } = pass;
    for (const [index, ordinal] of model.ordinals.entries()) {
      const pod = pods.get(ordinal);
      if (!pod) await this.#create(pass, ordinal, this.#revisionFor(pass, index));
      else if (hasEnded(pod)) await this.#recreate(pass, pod);
      else {
        if (pod.status?.phase === 'Pending' && isActive(pod)) await ensureClaims(context, model, ordinal);
        await this.#inPlace.prepare(context, pod);
      }
      const present = pods.get(ordinal);
      if (!model.parallel && !(present && this.#isHealthy(pass, present))) return false;
    }
    return true;
  }

  /** Removes a pod that has ended; its deletion brings us back to make it anew. */
  async #recreate({ context, model }: Pass, pod: Pod): Promise<void> {
    if (pod.metadata.deletionTimestamp) return;
    await deletePod(context.client, pod);
    this.#recorder.event(model.kind, model.object, {
      type: 'Warning',
      reason: 'RecreatingFailedPod',
      message: `StatefulSet ${model.object.metadata.name} is recreating failed Pod ${pod.metadata.name}`,
    });
  }

  #revisionFor({ model, revisions }: Pass, index: number): ControllerRevision {
    return !model.update.onDelete && index < model.update.partition ? revisions.current : revisions.update;
  }

  async #create({ context, model, pods }: Pass, ordinal: number, revision: ControllerRevision): Promise<void> {
    const pod = this.#inPlace.dress(podOf(model, ordinal, revision), context.clock.now());
    const { name } = pod.metadata;
    try {
      // a claim of an earlier pod is still on its way out: its deletion brings us back
      if (!(await ensureClaims(context, model, ordinal))) return;
      const created = await context.client.of(Pod).create(pod);
      pods.set(ordinal, created);
      await this.#inPlace.prepare(context, created);
      this.#recorder.event(model.kind, model.object, {
        reason: 'SuccessfulCreate',
        message: `create Pod ${name} in StatefulSet ${model.object.metadata.name} successful`,
      });
    } catch (error) {
      // a pod of that name is on its way out (or a stranger's): its deletion brings us back
      if (isAlreadyExists(error)) return;
      if (isRace(error)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      this.#recorder.event(model.kind, model.object, {
        type: 'Warning',
        reason: 'FailedCreate',
        message: `create Pod ${name} in StatefulSet ${model.object.metadata.name} failed error: ${message}`,
      });
      throw error;
    }
  }

  /** Removes pods whose ordinal should not exist, from the top. */
  async #shrink(pass: Pass): Promise<boolean> {
    const { context, model, pods } = pass;
    const condemned = [...pods].filter(([, pod]) => this.#isCondemned(pass, pod)).sort(([a], [b]) => b - a);
    for (const [, pod] of condemned) {
      if (!pod.metadata.deletionTimestamp) {
        await syncClaimOwners(context, model, pod, true);
        await deletePod(context.client, pod);
        this.#recorder.event(model.kind, model.object, {
          reason: 'SuccessfulDelete',
          message: `delete Pod ${pod.metadata.name} in StatefulSet ${model.object.metadata.name} successful`,
        });
      }
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

  async #replace(pass: Pass, pod: Pod): Promise<void> {
    const { context, model, revisions } = pass;
    const changed = await this.#inPlace.update(context, model, pod, revisions);
    if (changed) {
      pass.wait = sooner(pass.wait, changed.wait);
      return;
    }
    if (model.update.inPlace === 'only') return;
    await deletePod(context.client, pod);
    this.#recorder.event(model.kind, model.object, {
      reason: 'SuccessfulDelete',
      message: `delete Pod ${pod.metadata.name} in StatefulSet ${model.object.metadata.name} successful`,
    });
  }
}
