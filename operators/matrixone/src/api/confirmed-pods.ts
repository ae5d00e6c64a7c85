import { ANNOTATION_CONFIRM_FAILOVER } from './constants.ts';
import type { LogSet } from './logset.ts';

/** The pods that a LogSet's annotation names, for replacement beyond what is done without a person. */
export function confirmedPods({ metadata }: Pick<LogSet, 'metadata'>): ReadonlySet<string> {
  const text = metadata.annotations?.[ANNOTATION_CONFIRM_FAILOVER] ?? '';
  return new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  );
}
