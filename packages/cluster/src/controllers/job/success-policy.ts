import type { Job } from '@coxswain/k8s';
import { parseRanges } from './ranges.ts';

/** Which rule of a job's `successPolicy` the indexes that have succeeded fulfil, in words; `undefined`: none. */
export function matchedSuccess({ spec }: Job, completed: ReadonlySet<number>): string | undefined {
  if (completed.size === 0) return undefined;
  const matched = (spec?.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && completed.size >= succeededCount;
    const wanted = parseRanges(succeededIndexes);
    const there = wanted.filter((index) => completed.has(index)).length;
    return wanted.length > 0 && (there === wanted.length || (succeededCount !== undefined && there >= succeededCount));
  });
  return matched < 0 ? undefined : `Matched rules at index ${matched}`;
}
