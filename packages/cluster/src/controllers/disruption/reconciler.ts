import { Pod, PodDisruptionBudget, type PodDisruptionBudgetStatus } from '@coxswain/k8s';
import { setCondition } from '@coxswain/runtime/apply';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { ApiError, isConflict, matchesLabels, selectorFromField } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { intOrPercent } from '../workload/int-or-percent.ts';
import { isPodReady, sooner } from '../workload/pods.ts';
import { writeStatus } from '../workload/write-status.ts';
import { CannotExpect, type ExpectedPods, expectedPods } from './expected.ts';
import { selectorText } from './selector-text.ts';

/** How long an eviction may take until the pod counts again, in milliseconds. */
const deletionTimeout = 2 * 60_000;

interface Counts {
  readonly expected: number;
  readonly desired: number;
}

/** Whether a budget is for a pod of its namespace. */
export function covers({ spec }: PodDisruptionBudget, pod: Pod): boolean {
  return spec?.selector !== undefined && matchesLabels(selectorFromField(spec.selector), pod.metadata.labels);
}

/** Keeps the status of disruption budgets: how many of their pods are healthy, and how many may be evicted now. */
export class DisruptionReconciler implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const budget = context.cache.store(PodDisruptionBudget).get(context.key);
    if (!budget) return undefined;
    const pods = [...context.cache.store(Pod).list({ namespace: context.key.namespace ?? '' })].filter((pod) =>
      covers(budget, pod),
    );
    if (pods.length === 0) this.#tell(budget, 'Normal', 'NoPods', 'No matching pods found');
    try {
      return await this.#count(context, budget, pods);
    } catch (error) {
      if (isConflict(error)) throw error;
      await failSafe(context, budget, error);
      // a server that is in trouble may answer later; what cannot be counted by its nature waits for a change
      if (error instanceof ApiError && error.code < 500) return undefined;
      if (error instanceof CannotExpect) return undefined;
      throw error;
    }
  }

  async #count(context: ReconcileContext, budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<Result> {
    const now = context.clock.now();
    const { expected, desired } = await this.#counts(context, budget, pods);
    const { disruptedPods, recheck } = this.#disrupted(budget, pods, now);
    const healthy = pods.filter(
      (pod) => !pod.metadata.deletionTimestamp && !(pod.metadata.name in disruptedPods) && isPodReady(pod),
    ).length;
    const allowed = expected > 0 ? Math.max(0, healthy - desired) : 0;
    const observedGeneration = budget.metadata.generation ?? 0;
    const status: PodDisruptionBudgetStatus = {
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      disruptionsAllowed: allowed,
      ...(Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {}),
      observedGeneration,
      conditions: setCondition(
        budget.status?.conditions,
        {
          type: 'DisruptionAllowed',
          status: allowed > 0 ? 'True' : 'False',
          reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
          message: '',
          observedGeneration,
        },
        now,
      ),
    };
    // The version too: an eviction that was granted meanwhile must not be forgotten.
    await writeStatus(context, PodDisruptionBudget, budget, status, { sameVersion: true });
    return recheck === undefined ? undefined : { requeueAfter: recheck };
  }

  async #counts(context: ReconcileContext, budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<Counts> {
    const { minAvailable, maxUnavailable } = budget.spec ?? {};
    if (maxUnavailable === undefined && typeof minAvailable !== 'string')
      return { expected: minAvailable === undefined ? 0 : pods.length, desired: minAvailable ?? 0 };
    const { count: expected, unmanaged } = await this.#expect(context, budget, pods);
    if (unmanaged.length > 0) this.#tell(budget, 'Warning', 'UnmanagedPods', unmanagedText(budget));
    if (maxUnavailable === undefined) return { expected, desired: intOrPercent(minAvailable, expected, 'up', 0) };
    return { expected, desired: Math.max(0, expected - intOrPercent(maxUnavailable, expected, 'up', 0)) };
  }

  async #expect(context: ReconcileContext, budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<ExpectedPods> {
    try {
      return await expectedPods(context, pods);
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${error instanceof Error ? error.message : error}`;
      this.#tell(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
      throw error;
    }
  }

  /** Pods whose eviction was granted and that are not gone yet, and when the first of them is given up. */
  #disrupted(
    budget: PodDisruptionBudget,
    pods: readonly Pod[],
    now: number,
  ): { readonly disruptedPods: Readonly<Record<string, string>>; readonly recheck: number | undefined } {
    const disruptedPods: Record<string, string> = {};
    let recheck: number | undefined;
    for (const pod of pods) {
      const { name, deletionTimestamp } = pod.metadata;
      const since = budget.status?.disruptedPods?.[name];
      if (since === undefined || deletionTimestamp) continue;
      const left = Date.parse(since) + deletionTimeout - now;
      if (left >= 0) {
        disruptedPods[name] = since;
        recheck = sooner(recheck, left + 1);
      } else {
        const { namespace } = budget.metadata;
        // the namespace twice: so it is told by Kubernetes
        const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
        this.#recorder.event(Pod, pod, { type: 'Warning', reason: 'NotDeleted', message });
      }
    }
    return { disruptedPods, recheck };
  }

  #tell(budget: PodDisruptionBudget, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.event(PodDisruptionBudget, budget, { type, reason, message });
  }
}

function unmanagedText({ spec }: PodDisruptionBudget): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${selectorText(spec?.selector ?? {})}) were found to be unmanaged. ` +
    'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

/** What cannot be counted allows nothing. */
async function failSafe(context: ReconcileContext, budget: PodDisruptionBudget, error: unknown): Promise<void> {
  const { status = {} } = budget;
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'SyncFailed',
    message: error instanceof Error ? error.message : String(error),
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
  } as const;
  await writeStatus(context, PodDisruptionBudget, budget, {
    ...status,
    disruptionsAllowed: 0,
    conditions: setCondition(status.conditions, condition, context.clock.now()),
  });
}
