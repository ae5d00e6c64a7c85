import { ApiError, isInvalid } from '../core/index.ts';

/**
 * How API servers say that a field may not be changed: there is no reason code for it, only the text of the cause.
 * The third is a workload's, which names the fields that may; the last is a custom kind's rule without a message.
 */
const texts: readonly RegExp[] = [
  /immutable/i,
  /may not (be )?change/i,
  /updates to .* (are )?forbidden/i,
  /cannot change roleRef/,
  /failed rule: self == oldSelf/,
];

/**
 * The fields that a refused write would have changed although they cannot be: `['spec.selector']`. Empty for any other
 * error. A rule of a custom kind is found by its message, so one that does not say "immutable" in some way is not.
 */
export function immutableFields(error: unknown): readonly string[] {
  if (!(error instanceof ApiError) || !isInvalid(error)) return [];
  const causes = error.details.causes ?? [];
  const found = causes.filter(({ message = '' }) => texts.some((text) => text.test(message)));
  return [...new Set(found.map(({ field }) => field || 'spec'))];
}
