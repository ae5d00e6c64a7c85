import { Node, Pod, type Taint, type Toleration } from '@coxswain/k8s';
import { strategic } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatTime, keyOf, keyString } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { tolerates } from '../../scheduler/index.ts';

/** Index of pods by the node they are bound to. */
export const podsByNode = 'taint-eviction';

/** When a pod is to go; by its uid, as another may come by its name. */
interface Appointment {
  readonly uid: string | undefined;
  /** Monotonic. */
  readonly due: number;
}

/** Milliseconds that a pod may stay with these taints: 0 when one is not tolerated, infinite when all are for ever. */
export function timeLeft(taints: readonly Taint[], tolerations: readonly Toleration[] = []): number {
  let least = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const toleration = tolerations.find((one) => tolerates(one, taint));
    if (!toleration) return 0;
    const { tolerationSeconds = Number.POSITIVE_INFINITY } = toleration;
    least = Math.min(least, Math.max(0, tolerationSeconds * 1000));
  }
  return least;
}

/** Deletes a pod when its time on a tainted node is over; calls it off when the taints go before. */
export class TaintEviction implements Reconciler {
  readonly #recorder: EventRecorder;
  readonly #appointments = new Map<string, Appointment>();

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, clock, key } = context;
    const name = keyString(key);
    const pod = cache.store(Pod).get(key);
    const made = this.#appointments.get(name);
    if (!pod || (made && made.uid !== pod.metadata.uid)) this.#appointments.delete(name);
    if (!pod?.spec?.nodeName || pod.metadata.deletionTimestamp) return undefined;
    const node = cache.store(Node).get({ name: pod.spec.nodeName });
    const taints = (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
    const now = clock.monotonic();
    const left = timeLeft(taints, pod.spec.tolerations);
    if (taints.length === 0 || left === Number.POSITIVE_INFINITY) {
      if (this.#appointments.delete(name)) this.#event(pod, `Cancelling deletion of Pod ${name}`);
      return undefined;
    }
    if (left > 0) {
      // an appointment stands, whatever tolerations or taints have come meanwhile
      const due = this.#appointments.get(name)?.due ?? now + left;
      this.#appointments.set(name, { uid: pod.metadata.uid, due });
      if (due > now) return { requeueAfter: due - now };
    } else if (this.#appointments.has(name)) this.#event(pod, `Cancelling deletion of Pod ${name}`);
    this.#appointments.delete(name);
    await this.#evict(context, pod);
    return undefined;
  }

  async #evict({ client, clock, log }: ReconcileContext, pod: Pod): Promise<void> {
    const key = keyOf(pod);
    const { uid, generation } = pod.metadata;
    log.info({ pod: keyString(key), node: pod.spec?.nodeName }, 'a pod leaves its node because of a taint');
    this.#event(pod, `Marking for deletion Pod ${keyString(key)}`);
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastTransitionTime: formatTime(clock.now()),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    const patch = strategic({ metadata: { uid }, status: { conditions: [condition] } });
    await client.of(Pod).patch(key, patch, { subresource: 'status' });
    await client.of(Pod).delete(key, uid ? { preconditions: { uid } } : {});
  }

  #event(pod: Pod, message: string): void {
    this.#recorder.event(Pod, pod, { reason: 'TaintManagerEviction', message });
  }
}
