import type { KubeObject } from '@coxswain/k8s';
import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import { describeProblems, type Problem } from '../validation/index.ts';

/** Milliseconds: only a change of the spec helps, and that wakes the controller. */
const untilChanged = 300_000;

/**
 * Stops a pass because of the spec: the conditions say what is wrong and nothing is touched. What runs keeps running.
 * @param after milliseconds until it is worth looking again
 * @throws Resync always
 */
export function refuse<T extends KubeObject>(
  context: ActorContext<T>,
  reason: string,
  message: string,
  after = untilChanged,
): never {
  const { conditions } = context;
  if (conditions.get('Synced')?.message !== message) context.event({ type: 'Warning', reason, message });
  conditions.set('Synced', 'False', reason, message);
  if (conditions.get('Ready')?.status !== 'True') conditions.set('Ready', 'False', reason, message);
  throw new Resync(message, after);
}

/** Refuses a spec that has problems. @throws Resync when it has any */
export function refuseProblems<T extends KubeObject>(context: ActorContext<T>, problems: readonly Problem[]): void {
  if (problems.length > 0) refuse(context, 'SpecInvalid', describeProblems(problems));
}
