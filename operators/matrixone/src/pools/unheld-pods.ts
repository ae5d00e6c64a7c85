import { Pod } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { isConflict, isNotFound } from '@coxswain/runtime/core';
import { CNClaim, isLeaving, LABEL_CLAIMED_BY, phaseOf, podOf } from '../api/index.ts';
import type { CnStoreService } from '../cnstore/index.ts';
import { giveBack } from './give-back.ts';

/** Milliseconds before a pod that somebody else changes meanwhile is looked at again. */
const lookAgain = 1_000;

/**
 * Gives back the pods that are marked for a claim which does not hold them. A pod is marked before the claim names it, so one that
 * took it on an old view, or was cut off in between, may leave a mark behind that nobody remembers. Its key is a claim's, and works
 * also when the claim is gone: the marks themselves lead here.
 */
export class UnheldPodsController implements Reconciler {
  readonly #service: CnStoreService;

  constructor(options: { readonly cnStores: CnStoreService }) {
    this.#service = options.cnStores;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, client, key, signal } = context;
    const known = cache.store(CNClaim).get(key);
    const unheld = markedFor(context).filter((pod) => !mayHold(known, pod));
    if (unheld.length === 0) return undefined;
    // A claim that is new may not have come here yet: its pod is not to be taken from it.
    const claim = await client.of(CNClaim).find(key, { signal });
    const store = cache.store.bind(cache);
    try {
      for (const pod of unheld.filter((one) => !mayHold(claim, one)))
        await giveBack({ ...context, store }, this.#service, pod, claim ?? { metadata: key });
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return { requeueAfter: lookAgain };
      throw error;
    }
    return undefined;
  }
}

function markedFor({ cache, key: { namespace = '', name } }: ReconcileContext): readonly Pod[] {
  const pods = [...cache.store(Pod).list({ namespace, labels: { [LABEL_CLAIMED_BY]: name } })];
  return pods.filter((pod) => phaseOf(pod) === 'Bound' && !isLeaving(pod));
}

/** Whether a pod is a claim's, or will be: a claim that has none takes what is marked for it, and one that ends gives back all itself. */
function mayHold(claim: CNClaim | undefined, pod: Pod): boolean {
  if (!claim || claim.status?.phase === 'Lost') return false;
  const { name } = pod.metadata;
  return isLeaving(claim) || !podOf(claim) || podOf(claim) === name || claim.spec?.sourcePod?.podName === name;
}
