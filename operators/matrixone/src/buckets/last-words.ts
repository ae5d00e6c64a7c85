import type { Pod } from '@coxswain/k8s';

/** What the cleaning script's own lines about failures begin with. */
export const FAILURE_MARK = 'cleaning: ';

/** What the script of a cleaning Job said of its failure; of all else in its log nobody knows what it is. Empty when it said nothing. */
export function lastWordsOf(pods: readonly Pod[]): string {
  const states = pods.flatMap(({ status }) => status?.containerStatuses ?? []);
  const ends = states.map(({ state, lastState }) => state?.terminated ?? lastState?.terminated);
  const end = ends.find((one) => one !== undefined && one.exitCode !== 0);
  const lines = end?.message?.split('\n') ?? [];
  return lines.findLast((line) => line.startsWith(FAILURE_MARK))?.trim() ?? '';
}
