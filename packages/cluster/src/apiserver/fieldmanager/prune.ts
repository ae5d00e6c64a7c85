import { difference, emptySet, type FieldSet, intersection, union } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import type { Claims } from './managers.ts';
import { removeItems, withNamedFields } from './remove-items.ts';
import { toFieldSet } from './to-field-set.ts';

/**
 * Removes from the merged object what the applying manager owned by its last apply (`last`) and nobody owns now.
 * `claims` holds the manager's new set, `now`, already. What nobody ever owned, or only updaters own, stays. @throws TypeMismatch
 */
export function pruneUnowned(
  type: FieldType,
  merged: unknown,
  claims: Claims,
  last: FieldSet | undefined,
  now: FieldSet,
): unknown {
  // Who still applies all that it applied gives nothing up.
  if (!last || difference(last, now).size === 0) return merged;
  const lastNamed = withNamedFields(type, last);
  const bare = removeItems(type, merged, lastNamed);
  if (bare === merged) return merged;
  const all = withNamedFields(type, toFieldSet(type, merged));
  const owned = withNamedFields(type, everythingOwned(claims));
  const withOwned = removeItems(type, merged, difference(all, union(fieldsOf(type, bare), owned)));
  return removeItems(type, merged, intersection(difference(all, fieldsOf(type, withOwned)), lastNamed));
}

function fieldsOf(type: FieldType, value: unknown): FieldSet {
  return value === undefined ? emptySet : withNamedFields(type, toFieldSet(type, value));
}

function everythingOwned(claims: Claims): FieldSet {
  let all = emptySet;
  for (const claim of claims.values()) all = union(all, claim.set);
  return all;
}
