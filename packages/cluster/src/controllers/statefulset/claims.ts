import { type KubeObject, type OwnerReference, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { deepEqual, isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { ignoreRace, isRace } from '../workload/tolerant.ts';
import type { StatefulModel } from './model.ts';
import { claimName, podName } from './pods.ts';

/** The claims of a stateful set: one of each template for each pod, and who takes them along. */
export class Claims {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  /** Makes the claims of one ordinal that are missing. Answers `false` when one is on its way out and has to go first. */
  async ensure({ cache, client }: ReconcileContext, model: StatefulModel, ordinal: number): Promise<boolean> {
    const namespace = model.object.metadata.namespace ?? '';
    const pod = podName(model, ordinal);
    for (const template of model.claims) {
      const name = claimName(template, pod);
      const known = cache.store(PersistentVolumeClaim).get({ namespace, name });
      if (known?.metadata.deletionTimestamp) return false;
      if (known) continue;
      try {
        await client.of(PersistentVolumeClaim).create(newClaim(model, template, name));
        this.#tell(model, 'Normal', 'SuccessfulCreate', `Claim ${name} Pod ${pod} in StatefulSet`, 'success');
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        if (isRace(error)) throw error;
        const cause = `failed error: ${error instanceof Error ? error.message : String(error)}`;
        this.#tell(model, 'Warning', 'FailedCreate', `Claim ${name} for Pod ${pod} in StatefulSet`, cause);
        throw error;
      }
    }
    return true;
  }

  /** Whether a claim of an ordinal still goes with an earlier pod, and has to before there is another. */
  isStale({ cache }: ReconcileContext, model: StatefulModel, ordinal: number): boolean {
    if (model.claimRetention.whenScaled === 'Retain') return false;
    const namespace = model.object.metadata.namespace ?? '';
    const pod = podName(model, ordinal);
    return model.claims.some((template) => {
      const claim = cache.store(PersistentVolumeClaim).get({ namespace, name: claimName(template, pod) });
      return claim?.metadata.ownerReferences?.some(({ kind, name }) => kind === 'Pod' && name === pod);
    });
  }

  /** Points the claims of a pod at who takes them along when it goes. */
  async sync(context: ReconcileContext, model: StatefulModel, pod: Pod, condemned: boolean): Promise<void> {
    const namespace = model.object.metadata.namespace ?? '';
    for (const template of model.claims) {
      const name = claimName(template, pod.metadata.name);
      const claim = context.cache.store(PersistentVolumeClaim).get({ namespace, name });
      if (claim && !claim.metadata.deletionTimestamp) await this.#syncOwners(context, model, claim, pod, condemned);
    }
  }

  async #syncOwners(
    { client }: ReconcileContext,
    model: StatefulModel,
    claim: PersistentVolumeClaim,
    pod: Pod,
    condemned: boolean,
  ): Promise<void> {
    const before = claim.metadata.ownerReferences ?? [];
    const owners = ownersOf(model, before, pod, condemned);
    if (deepEqual(owners.references, before)) return;
    const { uid, resourceVersion, name } = claim.metadata;
    if (owners.conflict) {
      const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a managing controller, the retention policy is ignored for this claim`;
      this.#recorder.event(model.kind, model.object, { type: 'Warning', reason: 'ConflictingController', message });
    }
    await client
      .of(PersistentVolumeClaim)
      .patch(keyOf(claim), merge({ metadata: { uid, resourceVersion, ownerReferences: owners.references } }))
      .catch(ignoreRace);
  }

  #tell(model: StatefulModel, type: 'Normal' | 'Warning', reason: string, what: string, how: string): void {
    // the built-in kind writes it large, OpenKruise's small
    const verb = model.kind.group === 'apps' ? 'Create' : 'create';
    this.#recorder.event(model.kind, model.object, {
      type,
      reason,
      message: `${verb} ${what} ${model.object.metadata.name} ${how}`,
    });
  }
}

function refersTo({ apiVersion, kind, name }: OwnerReference, owner: OwnerReference): boolean {
  return apiVersion === owner.apiVersion && kind === owner.kind && name === owner.name;
}

/**
 * The owners of a claim: the set when claims go with the set, the pod when the pod is being scaled away and claims go with it. Other owners stay.
 * A claim of an earlier set or pod of the name is left alone, and so is one that somebody else controls.
 */
function ownersOf(
  model: StatefulModel,
  before: readonly OwnerReference[],
  pod: Pod,
  condemned: boolean,
): { readonly references: readonly OwnerReference[]; readonly conflict: boolean } {
  const set = controllerReference(model.kind, model.object);
  const own = controllerReference(Pod, pod);
  const stale = (owner: OwnerReference) => before.some((one) => refersTo(one, owner) && one.uid !== owner.uid);
  if (stale(set) || stale(own)) return { references: before, conflict: false };
  const others = before.filter((one) => !refersTo(one, set) && !refersTo(one, own));
  const { whenDeleted, whenScaled } = model.claimRetention;
  const retain = whenDeleted === 'Retain' && whenScaled === 'Retain';
  if (!retain && others.some(({ controller }) => controller)) return { references: others, conflict: true };
  if (condemned && whenScaled === 'Delete') return { references: [...others, own], conflict: false };
  return { references: whenDeleted === 'Delete' ? [...others, set] : others, conflict: false };
}

function newClaim(model: StatefulModel, template: PersistentVolumeClaim, name: string): PersistentVolumeClaim {
  const { labels, annotations, finalizers } = template.metadata;
  const metadata: KubeObject['metadata'] = {
    name,
    namespace: model.object.metadata.namespace ?? '',
    labels: { ...labels, ...model.selector.matchLabels },
    ...(annotations ? { annotations } : {}),
    ...(finalizers ? { finalizers } : {}),
    ...(model.claimRetention.whenDeleted === 'Delete'
      ? { ownerReferences: [controllerReference(model.kind, model.object)] }
      : {}),
  };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata,
    ...(template.spec ? { spec: template.spec } : {}),
  };
}
