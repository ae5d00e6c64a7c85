import { Node, Pod } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { failAndDelete } from './fail-and-delete.ts';

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

  async #collect(context: ReconcileContext, pod: Pod, node: string): Promise<Result> {
    // the store may be late
    if (await context.client.of(Node).find({ name: node })) return { requeueAfter: quarantine };
    await failAndDelete(context, pod, {
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    });
    return undefined;
  }
}
