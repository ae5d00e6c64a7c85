import type { ContainerStatus, Pod } from '@coxswain/k8s';
import { pullCause } from '../pods/index.ts';

/** What the cleaning script's own lines about failures begin with. */
export const FAILURE_MARK = 'cleaning: ';

/** Containers wait like this on their way; whoever runs again has said why it ended. */
const passing: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing', 'CrashLoopBackOff']);

/**
 * What the script of a cleaning Job said of its failure, else why its pod does not start; of all else in its log nobody knows what it is.
 * Empty when there is nothing to tell.
 */
export function lastWordsOf(pods: readonly Pod[]): string {
  const containers = pods.flatMap(({ status }) => status?.containerStatuses ?? []);
  return saidBy(containers) || containers.map(notStarted).find(Boolean) || pods.map(notPlaced).find(Boolean) || '';
}

function saidBy(containers: readonly ContainerStatus[]): string {
  const ends = containers.map(({ state, lastState }) => state?.terminated ?? lastState?.terminated);
  const end = ends.find((one) => one !== undefined && one.exitCode !== 0);
  const lines = end?.message?.split('\n') ?? [];
  return lines.findLast((line) => line.startsWith(FAILURE_MARK))?.trim() ?? '';
}

/** A Job whose container never starts never fails either: the node's words are all there is. */
function notStarted({ name, state }: ContainerStatus): string {
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (!reason || passing.has(reason)) return '';
  const isPulled = reason === 'ErrImagePull' || reason === 'ImagePullBackOff';
  const words = isPulled ? ['its image cannot be pulled', pullCause(message)] : [reason, message];
  return `container ${name} does not start: ${words.filter(Boolean).join(': ')}`;
}

function notPlaced({ status }: Pod): string {
  const placed = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (placed?.status !== 'False') return '';
  return `its pod finds no node: ${placed.message || placed.reason || 'nobody says why'}`;
}
