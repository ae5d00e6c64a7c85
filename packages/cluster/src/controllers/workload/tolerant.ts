import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { ApiError, isConflict, isNotFound } from '@coxswain/runtime/core';

/** Milliseconds until another look when nothing else brings one sooner. */
const retryAfter = 1_000;

/** Whether an error only says that the world has moved on since the stores were read. */
export function isRace(error: unknown): boolean {
  return isConflict(error) || isNotFound(error) || isTerminatingNamespace(error);
}

/** Whether something cannot be made because its namespace is being deleted. */
export function isTerminatingNamespace(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}

/** To be given to `catch` where a lost race is no reason to stop: whoever won it brings an event. */
export function ignoreRace(error: unknown): undefined {
  if (isRace(error)) return undefined;
  throw error;
}

/** A reconciler for which a lost race (conflict, object gone, namespace going) is no failure: it looks again. */
export function tolerant(reconciler: Reconciler): Reconciler {
  return {
    async reconcile(context: ReconcileContext): Promise<Result> {
      try {
        return (await reconciler.reconcile(context)) ?? undefined;
      } catch (error) {
        if (!isRace(error)) throw error;
        context.log.debug({ err: error }, 'the world has moved on during the reconcile; it looks again');
        return { requeueAfter: retryAfter };
      }
    },
    stop: () => reconciler.stop?.(),
  };
}
