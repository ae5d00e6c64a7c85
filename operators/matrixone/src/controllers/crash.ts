import type { ContainerStateTerminated, ContainerStatus } from '@coxswain/k8s';
import { parseTime } from '@coxswain/runtime/core';

/** Milliseconds that a container has to run to be no crashing one any more. */
export const steadyAfter = 60_000;

/** How kubelets and their runtimes call it that a container never ran; its times then mean nothing. */
const neverRan: ReadonlySet<string | undefined> = new Set(['StartError', 'ContainerCannotRun']);

/** Whether a run was over before its container had started at all: its message is the runtime's, not the program's. */
export function isStartFailure({ reason }: ContainerStateTerminated): boolean {
  return neverRan.has(reason);
}

function wasShort(end: ContainerStateTerminated): boolean {
  if (isStartFailure(end)) return true;
  const { startedAt, finishedAt } = end;
  if (!startedAt || !finishedAt) return false;
  return parseTime(finishedAt) - parseTime(startedAt) < steadyAfter;
}

/**
 * How a container ended that is not well: `soon` after its start, or after a longer run, so that the node makes a pause before the next
 * (`late`). One that runs again is well once it goes on to; once alone may be chance. By the container alone: what was said of it before does
 * not matter.
 */
export function crashOf(
  { state, lastState, restartCount }: ContainerStatus,
  now: number,
): { readonly end: ContainerStateTerminated; readonly when: 'soon' | 'late' } | undefined {
  const end = state?.terminated ?? lastState?.terminated;
  if (!end || restartCount === 0) return undefined;
  const short = wasShort(end);
  if (!state?.running) {
    if (short) return { end, when: 'soon' };
    return state?.waiting?.reason === 'CrashLoopBackOff' ? { end, when: 'late' } : undefined;
  }
  const { startedAt } = state.running;
  const isYoung = startedAt !== undefined && now - parseTime(startedAt) < steadyAfter;
  return short && isYoung && restartCount >= 2 ? { end, when: 'soon' } : undefined;
}
