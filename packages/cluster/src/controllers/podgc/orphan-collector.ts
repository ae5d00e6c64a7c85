import { Node, Pod } from '@coxswain/k8s';
import { strategic } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatTime, keyOf } from '@coxswain/runtime/core';

/** Index of pods by the node they are bound to. */
export const podsByNode = 'podgc-node';

/** Milliseconds a node has to be away before its pods are given up: it may come back. */
const quarantine = 40_000;

/** Deletes a pod when the node it is bound to has been away for the time of the quarantine. */
export class OrphanCollector implements Reconciler {
  /** When each missing node was first missed. */
  readonly #missing = new Map<string, number>();

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, clock, key } = context;
    const pod = cache.store(Pod).get(key);
    const node = pod?.spec?.nodeName;
    if (!pod || !node) return undefined;
    if (cache.store(Node).get({ name: node })) {
      this.#missing.delete(node);
      return undefined;
    }
    const since = this.#missing.get(node) ?? clock.monotonic();
    this.#missing.set(node, since);
    const rest = since + quarantine - clock.monotonic();
    if (rest > 0) return { requeueAfter: rest };
    return this.#collect(context, pod, node);
  }

  async #collect({ client, clock, log }: ReconcileContext, pod: Pod, node: string): Promise<Result> {
    // the store may be late
    if (await client.of(Node).find({ name: node })) return { requeueAfter: quarantine };
    const key = keyOf(pod);
    const { uid } = pod.metadata;
    log.info({ pod: `${key.namespace}/${key.name}`, node }, 'the node of a pod is gone; the pod is deleted');
    if (pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed') {
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
        lastTransitionTime: formatTime(clock.now()),
      };
      const status = { phase: 'Failed', conditions: [condition] };
      await client.of(Pod).patch(key, strategic({ metadata: { uid }, status }), { subresource: 'status' });
    }
    await client.of(Pod).delete(key, { gracePeriodSeconds: 0, ...(uid ? { preconditions: { uid } } : {}) });
    return undefined;
  }
}
