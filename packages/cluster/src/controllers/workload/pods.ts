import type { Kind, KubeObject, LabelSelector, OwnerReference, Pod, PodTemplateSpec } from '@coxswain/k8s';
import { Pod as PodKind } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import { type Client, merge } from '@coxswain/runtime/client';
import { controllerOf, type ReconcileContext } from '@coxswain/runtime/controller';
import { isConflict, isInvalid, isNotFound, keyOf, matchesLabels, selectorFromField } from '@coxswain/runtime/core';

/** A workload object with its kind. */
export interface Workload {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly selector: LabelSelector;
}

/** Whether a pod still counts: it has not ended and is not being deleted. */
export function isActive(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase !== 'Succeeded' && phase !== 'Failed' && !pod.metadata.deletionTimestamp;
}

export function isPodReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/**
 * Milliseconds until a pod that is ready has been so for `minReadySeconds`: 0 when it is available, `undefined` when it is not ready.
 */
export function untilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = pod.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
  if (!ready) return undefined;
  if (minReadySeconds === 0) return 0;
  return Math.max(0, Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 - now);
}

/** A pod as `template` says, controlled by `workload`. */
export function podFromTemplate(
  workload: Workload,
  template: PodTemplateSpec,
  name: { name: string } | { generateName: string },
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      ...name,
      namespace: workload.object.metadata.namespace ?? '',
      labels: { ...labels },
      ...(annotations ? { annotations: { ...annotations } } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(workload.kind, workload.object)],
    },
    ...(template.spec ? { spec: template.spec } : {}),
  };
}

async function setOwner(client: Client, pod: Pod, owners: readonly OwnerReference[]): Promise<Pod | undefined> {
  const { uid, resourceVersion } = pod.metadata;
  try {
    return await client
      .of(PodKind)
      .patch(keyOf(pod), merge({ metadata: { uid, resourceVersion, ownerReferences: owners } }));
  } catch (error) {
    if (isNotFound(error) || isConflict(error) || isInvalid(error)) return undefined;
    throw error;
  }
}

/**
 * The pods of a workload: those it controls and selects. Pods it selects that nobody controls are adopted;
 * pods it controls but no longer selects are let go.
 */
export async function claimPods({ cache, client }: ReconcileContext, workload: Workload): Promise<Pod[]> {
  const { uid, namespace, deletionTimestamp } = workload.object.metadata;
  const selector = selectorFromField(workload.selector);
  const claimed: Pod[] = [];
  const store = cache.store(PodKind);
  for (const pod of store.by('owner', uid ?? '')) {
    if (controllerOf(pod)?.uid !== uid) continue;
    if (matchesLabels(selector, pod.metadata.labels)) claimed.push(pod);
    else if (!pod.metadata.deletionTimestamp)
      await setOwner(
        client,
        pod,
        (pod.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid),
      );
  }
  if (deletionTimestamp) return claimed;
  for (const pod of store.list({ namespace: namespace ?? '' })) {
    if (controllerOf(pod) || !isActive(pod) || !matchesLabels(selector, pod.metadata.labels)) continue;
    const adopted = await setOwner(client, pod, [
      ...(pod.metadata.ownerReferences ?? []),
      controllerReference(workload.kind, workload.object),
    ]);
    if (adopted) claimed.push(adopted);
  }
  return claimed;
}

/** Deletes a pod unless it is gone or another has its name. */
export async function deletePod(client: Client, pod: Pod): Promise<void> {
  const { uid } = pod.metadata;
  await client
    .of(PodKind)
    .delete(keyOf(pod), uid ? { preconditions: { uid } } : {})
    .catch((error: unknown) => {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
}
