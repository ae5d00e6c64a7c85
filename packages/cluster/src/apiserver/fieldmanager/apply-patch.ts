import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { apiError, badRequest, deepEqual } from '@coxswain/runtime/core';
import type { RefResolver, SchemaNode } from '@coxswain/schema';
import { builtInSchemas, isTree, type Tree } from '../patch/index.ts';
import { applyConflict, configMismatch, liveMismatch } from './apply-errors.ts';
import { difference, equalSets, type FieldSet, recursiveDifference } from './field-set.ts';
import { type FieldType, fieldTypeOf } from './field-type.ts';
import { type KindVersions, VersionScope } from './kind-versions.ts';
import { refreshLastApplied, takeoverSet } from './last-applied.ts';
import { type Claim, type Claims, claimId, decodeClaims, newClaim } from './managers.ts';
import { mergeConfig } from './merge.ts';
import { conflictsOf, replaceClaim, resetSet, takeAway, withoutSystemFields } from './ownership.ts';
import { pruneUnowned } from './prune.ts';
import { withoutNulls } from './remove-items.ts';
import { toFieldSet } from './to-field-set.ts';
import { blankObject, reconcileClaims, setManagedFields, updateClaims } from './track-update.ts';
import { TypeMismatch } from './type-mismatch.ts';
import { mismatchesOf } from './validate.ts';

/** A server-side apply. */
export interface ApplyArgs {
  /** The stored object; absent when apply creates it. */
  readonly live: DynamicObject | undefined;
  /** What the manager wants, as sent. */
  readonly config: MutableJson;
  /** Not empty; the caller has checked. */
  readonly manager: string;
  /** Take fields over from others instead of failing. */
  readonly force: boolean;
  /** Of the request: `apps/v1`. */
  readonly apiVersion: string;
  /** `''` for the main endpoint. */
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  /** Fields the endpoint resets; see `trackUpdate`. */
  readonly reset?: readonly string[];
  /** For kinds of several versions; see `trackUpdate`. */
  readonly versions?: KindVersions | undefined;
}

/**
 * Merges a configuration into the stored object and answers the object to store, `metadata.managedFields` included.
 * Not yet defaulted; in custom resources nulls of the configuration are still there. Fields that the manager applied before, does not apply now
 * and nobody else owns are gone. When the object does not change, timestamps do not either.
 * @throws ApiError 400 wrong version or managedFields sent, 409 with causes `FieldManagerConflict`, 500 when the configuration does
 * not fit the schema (all as the real server)
 */
export function applyPatch(schema: SchemaNode, args: ApplyArgs, resolve: RefResolver = builtInSchemas): MutableJson {
  checkConfig(args);
  const type = fieldTypeOf(schema, resolve);
  const scope = new VersionScope(type, args.apiVersion, args.versions, resolve);
  const live: Tree = args.live ? { ...args.live } : blankObject(args.config);
  const claims = liveClaims(args);
  live['metadata'] = withoutManagedFields(live['metadata']);
  try {
    if (claims.size === 0) updateClaims(scope, blankObject(live), { ...args, ...beforeFirstApply(live) }, claims);
  } catch (error) {
    if (error instanceof TypeMismatch) throw liveMismatch(live, error);
    throw error;
  }
  checkFit(type, args.config);
  try {
    return new Apply(scope, live, args).run(claims);
  } catch (error) {
    if (error instanceof TypeMismatch) throw liveMismatch(live, error);
    throw error;
  }
}

/** Makes sure that a configuration fits a schema. @throws ApiError 500, as the real server */
export function checkConfiguration(
  schema: SchemaNode,
  config: MutableJson,
  resolve: RefResolver = builtInSchemas,
): void {
  checkFit(fieldTypeOf(schema, resolve), config);
}

function checkFit(type: FieldType, config: MutableJson): void {
  const mismatches = mismatchesOf(type, config);
  if (mismatches.length > 0) throw configMismatch(config, mismatches);
}

function checkConfig({ config, apiVersion }: ApplyArgs): void {
  if (config['apiVersion'] !== apiVersion) {
    const given = `${String(config['apiVersion'] ?? '')}, Kind=${String(config['kind'] ?? '')}`;
    throw badRequest(`invalid object type: ${given.includes('/') ? given : `/${given}`}`);
  }
  const metadata = config['metadata'];
  if (isTree(metadata) && metadata['managedFields'] !== undefined && metadata['managedFields'] !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
}

function liveClaims({ live }: ApplyArgs): Claims {
  try {
    return decodeClaims(live?.metadata.managedFields);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw apiError(500, '', `failed to decode managed fields: ${why}`);
  }
}

function beforeFirstApply(live: Tree): { manager: string; next: Tree } {
  return { manager: 'before-first-apply', next: live };
}

function withoutManagedFields(metadata: unknown): Tree {
  if (!isTree(metadata)) return {};
  const { managedFields: _, ...rest } = metadata;
  return rest;
}

/** One apply, once everything that can be refused at the door is out of the way. */
class Apply {
  readonly #scope: VersionScope;
  readonly #type: FieldType;
  readonly #live: Tree;
  readonly #args: ApplyArgs;
  readonly #reset: FieldSet;
  readonly #id: string;

  constructor(scope: VersionScope, live: Tree, args: ApplyArgs) {
    const { type } = scope;
    this.#scope = scope;
    this.#type = type;
    this.#live = live;
    this.#args = args;
    this.#reset = resetSet(type, args.subresource, args.reset);
    this.#id = claimId(newClaim(args, 'Apply'));
  }

  run(claims: Claims): MutableJson {
    const { force, manager, config } = this.#args;
    let outcome = this.#attempt(claims, force);
    if ('conflicts' in outcome) {
      const conflicts = manager === 'kubectl' ? this.#realConflicts(outcome.conflicts) : outcome.conflicts;
      if (conflicts.size > 0) throw applyConflict(claims, conflicts);
      outcome = this.#attempt(claims, true);
    }
    if ('conflicts' in outcome) throw applyConflict(claims, outcome.conflicts);
    const object = withoutNulls(this.#type, outcome.object) as Tree;
    const metadata: Tree = { ...(isTree(object['metadata']) ? object['metadata'] : {}) };
    const result: MutableJson = { ...object, metadata };
    if (manager === 'kubectl') refreshLastApplied(result, config);
    setManagedFields(metadata, outcome.claims);
    return result;
  }

  #attempt(before: Claims, force: boolean): { object: Tree; claims: Claims } | { conflicts: Map<string, FieldSet> } {
    const claims: Claims = new Map(before);
    reconcileClaims(this.#scope, claims);
    const last = claims.get(this.#id);
    const set = recursiveDifference(toFieldSet(this.#type, this.#args.config), this.#reset);
    const claim = { ...newClaim(this.#args, 'Apply'), set, ...(last?.time === undefined ? {} : { time: last.time }) };
    claims.set(this.#id, claim);
    const merged = mergeConfig(this.#type, this.#live, this.#args.config);
    const object = pruneUnowned(this.#scope, merged, claims, last, claim) as Tree;
    const comparing = this.#scope.comparing(this.#live, object, this.#reset);
    const conflicts = conflictsOf(claims, comparing, this.#id);
    if (!force && conflicts.size > 0) return { conflicts };
    takeAway(claims, comparing, conflicts, this.#id);
    const changed = !deepEqual(this.#live, object);
    const own = claims.get(this.#id);
    if (own) this.#settle(claims, own, last, changed);
    return { object: changed ? object : this.#live, claims };
  }

  /** The manager's claim as it is to be stored; the one before when nothing is different, so that it stays the very same. */
  #settle(claims: Claims, own: Claim, last: Claim | undefined, changed: boolean): void {
    const set = withoutSystemFields(own.set);
    const same = last && !changed && last.apiVersion === own.apiVersion && equalSets(last.set, set);
    if (same) claims.set(this.#id, last);
    else
      replaceClaim(
        claims,
        this.#id,
        changed && this.#args.subresource !== 'scale' ? { ...own, time: this.#args.time } : own,
        set,
      );
  }

  /** The conflicts that are left when what client-side apply had set may be taken over. */
  #realConflicts(conflicts: Map<string, FieldSet>): Map<string, FieldSet> {
    const allowed = takeoverSet(this.#type, this.#live, this.#args.apiVersion);
    if (!allowed) return conflicts;
    const left = new Map<string, FieldSet>();
    for (const [id, set] of conflicts) {
      const rest = difference(set, allowed);
      if (rest.size > 0) left.set(id, rest);
    }
    return left;
  }
}
