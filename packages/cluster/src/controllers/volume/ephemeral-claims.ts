import { PersistentVolumeClaim, Pod, type Volume } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { isAlreadyExists } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { claimNameOf, isOwnClaim } from './pod-claims.ts';

export function hasEphemeral(pod: Pod): boolean {
  return pod.spec?.volumes?.some(({ ephemeral }) => ephemeral) ?? false;
}

/** Makes the claims of ephemeral volumes; the pod owns them, so they go with it. */
export class EphemeralClaims implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const pod = context.cache.store(Pod).get(context.key);
    if (!pod || pod.metadata.deletionTimestamp) return undefined;
    for (const volume of pod.spec?.volumes ?? []) if (volume.ephemeral) await this.#ensure(context, pod, volume);
    return undefined;
  }

  async #ensure({ cache, client }: ReconcileContext, pod: Pod, volume: Volume): Promise<void> {
    const { namespace = '' } = pod.metadata;
    const name = claimNameOf(pod, volume) ?? '';
    const present = cache.store(PersistentVolumeClaim).get({ namespace, name });
    if (present && isOwnClaim(pod, present)) return;
    const problem = present
      ? `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`
      : await client
          .of(PersistentVolumeClaim)
          .create(claimFor(pod, volume, name))
          .then(() => undefined)
          .catch((error: unknown) => {
            if (isAlreadyExists(error)) return undefined;
            throw error;
          });
    if (problem === undefined) return;
    this.#recorder.event(Pod, pod, {
      type: 'Warning',
      reason: 'FailedBinding',
      message: `ephemeral volume ${volume.name}: ${problem}`,
    });
  }
}

function claimFor({ metadata }: Pod, { ephemeral }: Volume, name: string): PersistentVolumeClaim {
  const { namespace = '', uid = '' } = metadata;
  const template = ephemeral?.volumeClaimTemplate;
  const { labels, annotations } = template?.metadata ?? {};
  const owner = {
    apiVersion: 'v1',
    kind: 'Pod',
    name: metadata.name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  return {
    metadata: {
      namespace,
      name,
      ownerReferences: [owner],
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
    ...(template ? { spec: template.spec } : {}),
  };
}
