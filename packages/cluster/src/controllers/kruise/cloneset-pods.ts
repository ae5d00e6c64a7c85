import { type ControllerRevision, type OwnerReference, PersistentVolumeClaim, type Pod } from '@coxswain/k8s';
import { CloneSet } from '@coxswain/k8s/kruise';
import { controllerReference } from '@coxswain/runtime/apply';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import { revisionLabel, templateOf } from '../revision/revisions.ts';
import { podFromTemplate } from '../workload/pods.ts';
import { ignoreRace } from '../workload/tolerant.ts';
import { dressPod } from './dress.ts';

/** Joins a pod and its claims. */
export const instanceIdLabel = 'apps.kruise.io/cloneset-instance-id';

export function instanceIdOf(object: {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
}): string {
  return object.metadata.labels?.[instanceIdLabel] ?? '';
}

function claimName(template: PersistentVolumeClaim, set: CloneSet, id: string): string {
  return `${template.metadata.name}-${set.metadata.name}-${id}`;
}

/** Labels of a pod that say of which revision it is: by its name, and by the hash in it. */
export function revisionLabelsOf(revision: string): Record<string, string> {
  return { [revisionLabel]: revision, 'pod-template-hash': revision.slice(revision.lastIndexOf('-') + 1) };
}

/** The pod of an instance id, made from a revision. */
export function clonePod(set: CloneSet, id: string, revision: ControllerRevision, now: number): Pod {
  const workload = { kind: CloneSet, object: set, selector: set.spec.selector };
  const pod = podFromTemplate(workload, templateOf(revision), { name: `${set.metadata.name}-${id}` });
  const own = (set.spec.volumeClaimTemplates ?? []).map((claim) => ({
    name: claim.metadata.name,
    persistentVolumeClaim: { claimName: claimName(claim, set, id) },
  }));
  const others = (pod.spec?.volumes ?? []).filter(({ name }) => !own.some((volume) => volume.name === name));
  const volumes = [...own, ...others];
  const labels = { ...pod.metadata.labels, [instanceIdLabel]: id, ...revisionLabelsOf(revision.metadata.name) };
  return dressPod(
    {
      ...pod,
      metadata: { ...pod.metadata, labels },
      spec: { containers: [], ...pod.spec, ...(volumes.length > 0 ? { volumes } : {}) },
    },
    now,
  );
}

/** Claims of a CloneSet that are not being deleted. */
export function claimsOf({ cache }: ReconcileContext, set: CloneSet): PersistentVolumeClaim[] {
  return [...cache.store(PersistentVolumeClaim).by('owner', set.metadata.uid ?? '')].filter(
    ({ metadata }) => !metadata.deletionTimestamp,
  );
}

/**
 * Makes the claims of an instance that are missing.
 * @param existing claims of the set
 */
export async function ensureCloneClaims(
  { client }: ReconcileContext,
  set: CloneSet,
  id: string,
  existing: readonly PersistentVolumeClaim[],
): Promise<void> {
  const namespace = set.metadata.namespace ?? '';
  const owner: OwnerReference = controllerReference(CloneSet, set);
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(template, set, id);
    if (existing.some(({ metadata }) => metadata.name === name)) continue;
    const { annotations } = template.metadata;
    const labels = { ...template.metadata.labels, ...set.spec.selector.matchLabels, [instanceIdLabel]: id };
    const claim = {
      metadata: { name, namespace, labels, ...(annotations ? { annotations } : {}), ownerReferences: [owner] },
      ...(template.spec ? { spec: template.spec } : {}),
    };
    await client
      .of(PersistentVolumeClaim)
      .create(claim)
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
  }
}

export async function deleteClaim({ client }: ReconcileContext, claim: PersistentVolumeClaim): Promise<void> {
  await client.of(PersistentVolumeClaim).delete(keyOf(claim)).catch(ignoreRace);
}
