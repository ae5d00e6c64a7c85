import { difference, emptySet, type FieldSet, intersection, union } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import type { VersionScope } from './kind-versions.ts';
import type { Claim, Claims } from './managers.ts';
import { removeItems, withNamedFields } from './remove-items.ts';
import { toFieldSet } from './to-field-set.ts';

/**
 * Removes from the merged object what the applying manager owned by its last apply (`last`) and nobody owns now.
 * `claims` holds the manager's new claim, `now`, already. What nobody ever owned, or only updaters own, stays. Looked at in the version
 * of the last apply, and of each claim. @throws TypeMismatch
 */
export function pruneUnowned(
  scope: VersionScope,
  merged: unknown,
  claims: Claims,
  last: Claim | undefined,
  now: Claim,
): unknown {
  if (!last) return merged;
  // Who still applies all that it applied gives nothing up.
  if (last.apiVersion === now.apiVersion && difference(last.set, now.set).size === 0) return merged;
  const type = scope.typeOf(last.apiVersion);
  if (!type) return merged;
  const whole = scope.convert(merged, last.apiVersion);
  const lastNamed = withNamedFields(type, last.set);
  const bare = removeItems(type, whole, lastNamed);
  if (bare === whole) return merged;
  const kept = withOwned(scope, whole, bare, claims, last.apiVersion);
  const all = withNamedFields(type, toFieldSet(type, whole));
  const keptFields = fieldsOf(type, scope.convert(kept, last.apiVersion));
  return scope.convert(removeItems(type, whole, intersection(difference(all, keptFields), lastNamed)), now.apiVersion);
}

/** What was removed comes back where anybody owns it: in one version after the other, that of the last apply first. */
function withOwned(scope: VersionScope, whole: unknown, bare: unknown, claims: Claims, first: string): unknown {
  let [merged, pruned] = [whole, bare];
  for (const [apiVersion, owned] of ownedByVersion(claims, first)) {
    const type = scope.typeOf(apiVersion);
    if (!type) continue;
    merged = scope.convert(merged, apiVersion);
    const left = fieldsOf(type, scope.convert(pruned, apiVersion));
    const all = withNamedFields(type, toFieldSet(type, merged));
    pruned = removeItems(type, merged, difference(all, union(left, withNamedFields(type, owned))));
  }
  return pruned;
}

function ownedByVersion(claims: Claims, first: string): Map<string, FieldSet> {
  const sets = new Map<string, FieldSet>([[first, emptySet]]);
  for (const { apiVersion, set } of claims.values()) sets.set(apiVersion, union(sets.get(apiVersion) ?? emptySet, set));
  return sets;
}

function fieldsOf(type: FieldType, value: unknown): FieldSet {
  return value === undefined ? emptySet : withNamedFields(type, toFieldSet(type, value));
}
