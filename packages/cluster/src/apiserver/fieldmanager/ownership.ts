import type { Comparison } from './compare.ts';
import { difference, type FieldSet, intersection, recursiveDifference, setOf, union } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { type Claim, type Claims, withSet } from './managers.ts';

/** What everybody may change without owning it. */
const unowned = setOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['f:metadata', `f:${field}`]),
);

/** The set without the system fields of the object. */
export function withoutSystemFields(set: FieldSet): FieldSet {
  return difference(set, unowned);
}

/**
 * Fields that the endpoint resets before it stores: nobody comes to own them there. Paths such as `status` or `metadata.labels`,
 * each with all that is below.
 */
export function resetSet(type: FieldType, subresource: string, reset: readonly string[] | undefined): FieldSet {
  return setOf(
    ...(reset ?? defaultReset(type, subresource)).map((path) => path.split('.').map((field) => `f:${field}`)),
  );
}

function defaultReset(type: FieldType, subresource: string): readonly string[] {
  if (subresource === '') return ['status'];
  if (subresource !== 'status') return [];
  return type.map?.builtIn ? ['spec'] : ['spec', 'metadata'];
}

/** The comparison without the reset fields. */
export function withoutReset(comparison: Comparison, reset: FieldSet): Comparison {
  if (reset.size === 0) return comparison;
  return {
    added: recursiveDifference(comparison.added, reset),
    modified: recursiveDifference(comparison.modified, reset),
    removed: recursiveDifference(comparison.removed, reset),
  };
}

/** What a change means in a version; undefined when the kind has it no more. */
export type Comparing = (apiVersion: string) => Comparison | undefined;

/** Claims of others that a change runs into, by identity of the claim. Empty: nobody minds. */
export function conflictsOf(claims: Claims, comparing: Comparing, self: string): Map<string, FieldSet> {
  const conflicts = new Map<string, FieldSet>();
  for (const [id, claim] of claims) {
    const comparison = id === self ? undefined : comparing(claim.apiVersion);
    if (!comparison) continue;
    const touched = intersection(claim.set, union(comparison.modified, comparison.added));
    if (touched.size > 0) conflicts.set(id, touched);
  }
  return conflicts;
}

/** Takes what changed or went away from everybody but `self`; managers left with nothing disappear. */
export function takeAway(claims: Claims, comparing: Comparing, conflicts: Map<string, FieldSet>, self: string): void {
  for (const [id, claim] of [...claims]) {
    const conflict = conflicts.get(id);
    let set = conflict ? difference(claim.set, conflict) : claim.set;
    if (id !== self) set = difference(set, comparing(claim.apiVersion)?.removed ?? set);
    replaceClaim(claims, id, claim, set);
  }
}

/** Stores a claim's new set, or removes the claim when the set is empty. */
export function replaceClaim(claims: Claims, id: string, claim: Claim, set: FieldSet): void {
  if (set.size === 0) claims.delete(id);
  else claims.set(id, withSet(claim, set));
}
