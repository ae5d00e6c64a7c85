import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import type { RefResolver, SchemaNode } from '@coxswain/schema';
import { builtInSchemas, isTree, type Tree } from '../patch/index.ts';
import { capUpdateManagers } from './cap.ts';
import type { Comparison } from './compare.ts';
import { emptySet, recursiveDifference, union } from './field-set.ts';
import { fieldTypeOf } from './field-type.ts';
import { type KindVersions, VersionScope } from './kind-versions.ts';
import { type Creation, creationOf } from './known-creations.ts';
import { type Claims, claimId, decodeClaims, encodeClaims, newClaim, withSet } from './managers.ts';
import { conflictsOf, resetSet, takeAway, withoutSystemFields } from './ownership.ts';
import { reconcileSet } from './reconcile.ts';
import { TypeMismatch } from './type-mismatch.ts';

const nothing: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

/** Who acts, on what, when. */
export interface UpdateArgs {
  /** The stored object; absent when it is being created. */
  readonly live: DynamicObject | undefined;
  /** The object about to be stored. */
  readonly next: MutableJson;
  readonly manager: string;
  /** Of the request: `apps/v1`. */
  readonly apiVersion: string;
  /** `''` for the main endpoint. */
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  /**
   * Fields the endpoint resets, each with all that is below; nobody comes to own them. Default: `status` on the main endpoint,
   * `spec` (and `metadata` of custom resources) on the status endpoint. Give `[]` for a kind whose status is an ordinary field.
   */
  readonly reset?: readonly string[];
  /** For kinds of several versions; absent: the claims of other versions are taken as they are. */
  readonly versions?: KindVersions | undefined;
}

/**
 * Records in `next.metadata.managedFields` who owns what after a create, update or patch: changed fields go to `manager`, everybody
 * else loses them and what was removed. Without a change nothing is touched, timestamps included. Entries that the
 * client sent count on the main endpoint if they are well formed; `[{}]` clears. Never fails: what cannot be tracked keeps
 * the entries of `live`.
 */
export function trackUpdate(schema: SchemaNode, args: UpdateArgs, resolve: RefResolver = builtInSchemas): void {
  const metadata = args.next['metadata'];
  if (!isTree(metadata)) return;
  const given = metadata['managedFields'];
  const kept = args.live?.metadata.managedFields;
  delete metadata['managedFields'];
  const claims = startingClaims(given, kept, args.subresource);
  const isCreate = args.live?.metadata.uid === undefined || args.live.metadata.uid === '';
  if (claims.size === 0 && !isCreate) return;
  const creation =
    given === undefined && !args.live && resolve === builtInSchemas ? creationBy(schema, args) : undefined;
  if (creation?.entries) {
    metadata['managedFields'] = creation.entries.map((entry) => ({ ...entry, time: args.time }));
    return;
  }
  try {
    const live = args.live ?? blankObject(args.next);
    const scope = new VersionScope(fieldTypeOf(schema, resolve), args.apiVersion, args.versions, resolve);
    updateClaims(scope, live, args, claims);
    setManagedFields(metadata, claims);
    creation?.remember(metadata['managedFields']);
  } catch (error) {
    // Whoever gave up for now finds everything as it was.
    if (!(error instanceof TypeMismatch)) {
      if (given !== undefined) metadata['managedFields'] = given;
      throw error;
    }
    if (kept) metadata['managedFields'] = kept;
  }
}

function creationBy(schema: SchemaNode, { next, manager, apiVersion, subresource, reset }: UpdateArgs): Creation {
  return creationOf(schema, next, [manager, apiVersion, subresource, reset ?? null]);
}

/** An object of the kind with nothing in it: what creations are compared with. */
export function blankObject(like: Tree): Tree {
  return { apiVersion: like['apiVersion'], kind: like['kind'], metadata: {} };
}

export function setManagedFields(metadata: Tree, claims: Claims): void {
  if (claims.size > 0) metadata['managedFields'] = encodeClaims(claims);
  else delete metadata['managedFields'];
}

function startingClaims(given: unknown, kept: unknown, subresource: string): Claims {
  if (subresource === '') {
    if (isReset(given)) return new Map();
    const sent = claimsOrNone(given);
    if (sent.size > 0) return sent;
  }
  return claimsOrNone(kept);
}

function isReset(given: unknown): boolean {
  if (!Array.isArray(given)) return false;
  return given.length === 0 || (given.length === 1 && isTree(given[0]) && Object.keys(given[0]).length === 0);
}

function claimsOrNone(entries: unknown): Claims {
  try {
    return decodeClaims(entries);
  } catch {
    return new Map();
  }
}

/** The rules of an update, on the claims. @throws TypeMismatch */
export function updateClaims(scope: VersionScope, live: unknown, args: Omit<UpdateArgs, 'live'>, claims: Claims): void {
  reconcileClaims(scope, claims);
  const reset = resetSet(scope.type, args.subresource, args.reset);
  const comparing = scope.comparing(live, args.next, reset);
  const comparison = comparing(scope.apiVersion) ?? nothing;
  takeAway(claims, comparing, conflictsOf(claims, comparing, ''), '');
  const changed = union(comparison.modified, comparison.added);
  const gained = withoutSystemFields(recursiveDifference(changed, reset));
  if (gained.size > 0) {
    const fresh = newClaim(args, 'Update');
    const id = claimId(fresh);
    const previous = claims.get(id);
    const set = previous ? union(previous.set, gained) : gained;
    // the real server forgets the time when ownership comes through /scale
    const time = args.subresource === 'scale' ? previous?.time : args.time;
    claims.set(id, { ...withSet(fresh, set), ...(time === undefined ? {} : { time }) });
  }
  capUpdateManagers(claims);
}

/** Claims in versions that are gone go too. */
export function reconcileClaims(scope: VersionScope, claims: Claims): void {
  for (const [id, claim] of [...claims]) {
    const type = scope.typeOf(claim.apiVersion);
    if (type) claims.set(id, withSet(claim, reconcileSet(type, claim.set)));
    else claims.delete(id);
  }
}
