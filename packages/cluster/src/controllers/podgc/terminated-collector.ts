import { Pod } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { failAndDelete } from './fail-and-delete.ts';

/** Index of pods that have ended; all of them have this one value. */
export const endedPods = 'podgc-ended';

/** Milliseconds between two looks. */
const period = 20_000;

export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Evicted ones first, then the oldest. */
function byAge(a: Pod, b: Pod): number {
  const evicted = ({ status }: Pod) => Number(status?.reason === 'Evicted');
  const created = ({ metadata }: Pod) => Date.parse(metadata.creationTimestamp ?? '');
  return evicted(b) - evicted(a) || created(a) - created(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

/** Deletes the oldest of the pods that have ended when there are too many. */
export class TerminatedCollector implements Reconciler {
  readonly #threshold: number;
  #next = 0;

  /** @param threshold so many are kept */
  constructor(threshold: number) {
    this.#threshold = threshold;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, clock } = context;
    const rest = this.#next - clock.monotonic();
    if (rest > 0) return { requeueAfter: rest };
    this.#next = clock.monotonic() + period;
    const ended = [...cache.store(Pod).by(endedPods, 'yes')];
    const excess = ended.length - this.#threshold;
    if (excess <= 0) return undefined;
    for (const pod of ended.sort(byAge).slice(0, excess)) await failAndDelete(context, pod);
    return undefined;
  }
}
