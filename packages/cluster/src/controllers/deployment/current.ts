import { Deployment, ReplicaSet } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { controllerOf } from '@coxswain/runtime/controller';
import { isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { isRace } from '../workload/tolerant.ts';
import { conditionOf, progressing } from './conditions.ts';
import { note, type Pass } from './pass.ts';
import {
  hasTemplate,
  inheritedAnnotations,
  newReplicaSet,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
} from './replica-sets.ts';
import { leewayOf, sizeOf } from './sizes.ts';

/** Names tried in one pass when other templates have taken them. */
const attempts = 10;

/** Finds or makes the ReplicaSet of a Deployment's present template, and keeps its revision the newest. */
export class CurrentReplicaSet {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  /** Brings what the ReplicaSet takes over from its Deployment up to date, if there is one. */
  async sync(pass: Pass): Promise<ReplicaSet | undefined> {
    const { context, deployment, sets } = pass;
    const current = sets.find((set) => hasTemplate(set, deployment));
    if (!current) return undefined;
    const { uid, resourceVersion } = current.metadata;
    const annotations = inheritedAnnotations(deployment, newestBut(pass, current), current.metadata.annotations ?? {});
    const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
    let synced = current;
    if (Object.keys(annotations).length > 0 || (current.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
      const body = { metadata: { uid, resourceVersion, annotations }, spec: { minReadySeconds } };
      synced = await context.client.of(ReplicaSet).patch(keyOf(current), merge(body));
      pass.sets = sets.map((set) => (set === current ? synced : set));
      pass.changed = true;
    }
    const revision = synced.metadata.annotations?.[revisionAnnotation] ?? '';
    const known = conditionOf(deployment.status?.conditions, 'Progressing') !== undefined;
    const found = progressing('True', 'FoundNewReplicaSet', `Found new replica set "${synced.metadata.name}"`);
    await note(pass, known || !hasDeadline(pass) ? undefined : found, { revision });
    return synced;
  }

  async ensure(pass: Pass): Promise<ReplicaSet> {
    const found = pass.sets.find((set) => hasTemplate(set, pass.deployment));
    return found ?? this.#create(pass);
  }

  async #create(pass: Pass): Promise<ReplicaSet> {
    const { context, deployment, sets } = pass;
    const wanted = deployment.spec?.replicas ?? 1;
    const { surge } = leewayOf(deployment);
    const room = wanted + surge - sets.reduce((sum, set) => sum + sizeOf(set), 0);
    const size = deployment.spec?.strategy?.type === 'Recreate' ? wanted : Math.max(0, Math.min(wanted, room));
    const inherited = inheritedAnnotations(deployment, newestBut(pass, undefined), undefined);
    const annotations = { ...inherited, ...sizeAnnotations(wanted, wanted + surge) };
    for (let attempt = 0; ; attempt++) {
      const set = newReplicaSet(deployment, size, annotations, pass.deployment.status?.collisionCount);
      try {
        const created = await context.client.of(ReplicaSet).create(set);
        return await this.#made(pass, created, size);
      } catch (error) {
        if (!isAlreadyExists(error) || attempt === attempts) return this.#failed(pass, set, error);
        const taken = await this.#own(pass, set);
        if (taken) return taken;
        // another template has taken the name: the next one is tried
        const collisionCount = (pass.deployment.status?.collisionCount ?? 0) + 1;
        await note(pass, undefined, { collisionCount });
      }
    }
  }

  async #made(pass: Pass, created: ReplicaSet, size: number): Promise<ReplicaSet> {
    const { name, annotations } = created.metadata;
    pass.sets = [...pass.sets, created];
    pass.changed = true;
    if (size > 0) {
      const message = `Scaled up replica set ${name} from 0 to ${size}`;
      this.#recorder.event(Deployment, pass.deployment, { reason: 'ScalingReplicaSet', message });
    }
    const verdict = progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
    const revision = annotations?.[revisionAnnotation] ?? '';
    await note(pass, hasDeadline(pass) && !pass.rested ? verdict : undefined, { revision });
    return created;
  }

  /** The ReplicaSet that has the name, when it is what was to be made: an earlier pass made it, and the store has not heard of it yet. */
  async #own(pass: Pass, wanted: ReplicaSet): Promise<ReplicaSet | undefined> {
    const { context, deployment } = pass;
    const taken = await context.client.of(ReplicaSet).find(keyOf(wanted));
    if (!taken || controllerOf(taken)?.uid !== deployment.metadata.uid || !hasTemplate(taken, deployment))
      return undefined;
    pass.sets = [...pass.sets, taken];
    const revision = taken.metadata.annotations?.[revisionAnnotation] ?? '';
    await note(pass, undefined, { revision });
    return taken;
  }

  async #failed(pass: Pass, set: ReplicaSet, error: unknown): Promise<never> {
    if (isRace(error)) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    const reason = 'ReplicaSetCreateError';
    const message = `Failed to create new replica set "${set.metadata.name}": ${cause}`;
    if (hasDeadline(pass)) await note(pass, progressing('False', reason, message));
    this.#recorder.event(Deployment, pass.deployment, { type: 'Warning', reason, message });
    throw error;
  }
}

function hasDeadline({ deployment }: Pass): boolean {
  const seconds = deployment.spec?.progressDeadlineSeconds;
  return seconds !== undefined && seconds !== 2 ** 31 - 1;
}

function newestBut({ sets }: Pass, current: ReplicaSet | undefined): bigint {
  const others = sets.filter((set) => set !== current).map(revisionOf);
  return [0n, ...others].sort((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
}
