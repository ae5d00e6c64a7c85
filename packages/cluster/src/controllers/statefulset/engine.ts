import { type ControllerRevision, Pod } from '@coxswain/k8s';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { isAlreadyExists } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import {
  type RevisionOwner,
  type Revisions,
  revisionLabel,
  syncRevisions,
  truncateRevisions,
} from '../revision/revisions.ts';
import { claimPods, deletePod, isActive, isPodReady, untilAvailable } from '../workload/pods.ts';
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

function sooner(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
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
    const all = [...pods.values()].filter((pod) => pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed');
    return { pods: all.filter((pod) => !this.#isCondemned(pass, pod)), all, revisions, wait: pass.wait };
  }

  #isCondemned({ model }: Pass, pod: Pod): boolean {
    const ordinal = ordinalOf(model.object.metadata.name, pod.metadata.name);
    return ordinal !== undefined && !model.ordinals.includes(ordinal);
  }

  async #converge(pass: Pass): Promise<void> {
    if (!(await this.#fill(pass))) return;
    if (!(await this.#shrink(pass))) return;
    await this.#roll(pass);
  }

  /** Whether a pod counts for the order: it runs, is ready and has been so for long enough. */
  #isHealthy(pass: Pass, pod: Pod): boolean {
    if (!isActive(pod) || !isPodReady(pod)) return false;
    const wait = untilAvailable(pod, pass.model.minReadySeconds, pass.context.clock.now());
    if (wait) pass.wait = sooner(pass.wait, wait);
    return wait === 0;
  }

  /** Makes pods that are missing and replaces those that ended; answers whether the pass may go on. */
  async #fill(pass: Pass): Promise<boolean> {
    const { context, model, pods } = pass;
    for (const [index, ordinal] of model.ordinals.entries()) {
      const pod = pods.get(ordinal);
      if (
        pod &&
        (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') &&
        !pod.metadata.deletionTimestamp
      ) {
        await deletePod(context.client, pod);
        this.#recorder.event(model.kind, model.object, {
          type: 'Warning',
          reason: 'RecreatingFailedPod',
          message: `StatefulSet ${model.object.metadata.name} is recreating failed Pod ${pod.metadata.name}`,
        });
        if (!model.parallel) return false;
        continue;
      }
      if (!pod) await this.#create(pass, ordinal, this.#revisionFor(pass, index));
      else await this.#inPlace.prepare(context, pod);
      const present = pods.get(ordinal);
      if (!model.parallel && !(present && this.#isHealthy(pass, present))) return false;
    }
    return true;
  }

  #revisionFor({ model, revisions }: Pass, index: number): ControllerRevision {
    return !model.update.onDelete && index < model.update.partition ? revisions.current : revisions.update;
  }

  async #create({ context, model, pods }: Pass, ordinal: number, revision: ControllerRevision): Promise<void> {
    const pod = this.#inPlace.dress(podOf(model, ordinal, revision), context.clock.now());
    const { name } = pod.metadata;
    try {
      await ensureClaims(context, model, ordinal);
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
    for (const [ordinal, pod] of condemned) {
      if (!pod.metadata.deletionTimestamp) {
        await syncClaimOwners(context, model, pod, true);
        await deletePod(context.client, pod);
        if (!context.cache.store(Pod).get({ namespace: pod.metadata.namespace ?? '', name: pod.metadata.name }))
          pods.delete(ordinal);
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
