import { badRequest } from '@coxswain/runtime/core';
import type { RefResolver, SchemaNode } from '@coxswain/schema';
import { brokenPatch } from './errors.ts';
import { goJsonKind, goText } from './go-text.ts';
import { builtInSchemas, memberSchema, resolved } from './schema.ts';
import { checkElementOrder, mergeLists, orderByDirective } from './strategic-list.ts';
import { isTree, own, put, type Tree } from './tree.ts';

const orderPrefix = '$setElementOrder';
const deletePrefix = '$deleteFromPrimitiveList';
const retainKeys = '$retainKeys';

/**
 * Strategic merge patch: lists and maps merge as the schema's `x-kubernetes-patch-*` say, and the patch's directives
 * (`$patch`, `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`) are obeyed.
 * Answers a new document that shares unchanged parts with `doc` and `patch`.
 * @param resolve finds the node of a `$ref`; default: the built-in types
 * @throws ApiError 400, 422 or 500, as the real server, when the patch contradicts the schema or itself
 */
export function applyStrategicPatch(
  schema: SchemaNode,
  doc: unknown,
  patch: unknown,
  resolve: RefResolver = builtInSchemas,
): unknown {
  if (patch === null) return doc;
  if (!isTree(patch)) {
    throw badRequest(`json: cannot unmarshal ${goJsonKind(patch)} into Go value of type map[string]interface {}`);
  }
  return mergeTrees(isTree(doc) ? doc : {}, patch, schema, resolve);
}

/** Merges one map. Lists of maps call back here for elements present on both sides. */
function mergeTrees(original: Tree, patch: Tree, schema: SchemaNode | undefined, resolve: RefResolver): Tree {
  if (Object.hasOwn(patch, '$patch')) return applyDirective(patch);
  const merged = retained(original, patch);
  const ordered = new Set<string>();
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    const field = fieldOf(key, 'invalid patch format of setElementOrder list');
    ordered.add(field);
    mergeOrdered(merged, field, patch, patch[key], schema, resolve);
  }
  for (const key of Object.keys(patch)) {
    if (key === retainKeys || key.startsWith(orderPrefix) || ordered.has(key)) continue;
    if (key.startsWith(deletePrefix)) deletePrimitives(merged, key, patch[key], schema, resolve);
    else mergeField(merged, key, patch[key] ?? null, schema, resolve);
  }
  return merged;
}

function applyDirective(patch: Tree): Tree {
  const { $patch: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw brokenPatch(`unknown patch type: ${goText(directive)} in map: ${goText(patch)}`);
}

/** A copy of `original` with only the keys that `$retainKeys` names, when the patch has it. */
function retained(original: Tree, patch: Tree): Tree {
  if (!Object.hasOwn(patch, retainKeys)) return { ...original };
  const bad = () => badRequest('invalid patch format of retainKeys');
  if (!Array.isArray(patch[retainKeys])) throw bad();
  const keep = new Set<unknown>(patch[retainKeys]);
  for (const key of Object.keys(patch)) {
    const directive = key === retainKeys || key.startsWith(deletePrefix) || key.startsWith(orderPrefix);
    if (!directive && patch[key] !== null && !keep.has(key)) throw bad();
  }
  const merged: Tree = {};
  for (const key of Object.keys(original)) if (keep.has(key)) put(merged, key, original[key]);
  return merged;
}

function fieldOf(directive: string, complaint: string): string {
  const slash = directive.indexOf('/');
  const prefix = slash < 0 ? directive : directive.slice(0, slash);
  if (slash < 0 || (prefix !== orderPrefix && prefix !== deletePrefix)) throw badRequest(complaint);
  return directive.slice(slash + 1);
}

function mergeField(
  merged: Tree,
  key: string,
  value: unknown,
  schema: SchemaNode | undefined,
  resolve: RefResolver,
): void {
  if (value === null) {
    delete merged[key];
    return;
  }
  const current = own(merged, key);
  const member = memberSchema(schema, key, resolve);
  if (isTree(current) && isTree(value)) {
    const replace = strategyOf(member, resolve) === 'replace';
    put(merged, key, replace ? value : mergeTrees(current, value, member, resolve));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    put(merged, key, mergeListField(current, value, member, resolve));
  } else {
    const plain = withoutDirectives(current === undefined || !sameKind(current, value) ? withoutNulls(value) : value);
    if (plain === undefined) delete merged[key];
    else put(merged, key, plain);
  }
}

function mergeListField(
  current: readonly unknown[],
  patch: readonly unknown[],
  member: SchemaNode | undefined,
  resolve: RefResolver,
): readonly unknown[] {
  if (strategyOf(member, resolve) !== 'merge') return patch;
  const list = member && resolved(member, resolve);
  return mergeLists(current, patch, mergeKeyOf(member, resolve), (a, b) => mergeTrees(a, b, list?.items, resolve));
}

function mergeOrdered(
  merged: Tree,
  field: string,
  patch: Tree,
  order: unknown,
  schema: SchemaNode | undefined,
  resolve: RefResolver,
): void {
  const current = own(merged, field);
  const change = own(patch, field);
  const lists = [order, current, change].filter((value) => value !== undefined);
  for (const list of lists) {
    if (!Array.isArray(list)) throw brokenPatch(`expected a []interface {}, but received a ${goType(list)}`);
  }
  const member = memberSchema(schema, field, resolve);
  const mergeKey = mergeKeyOf(member, resolve);
  const orderList = order as readonly unknown[];
  if (change !== undefined) checkElementOrder(change as readonly unknown[], orderList, mergeKey);
  let list = current as readonly unknown[] | undefined;
  if (change !== undefined) {
    const items = change as readonly unknown[];
    list = list ? mergeListField(list, items, member, resolve) : (withoutDirectives(items) as readonly unknown[]);
  }
  if (!list) return;
  const before = (current ?? []) as readonly unknown[];
  // The real server looks at the items to learn what they are.
  if (before.length === 0 && ((change ?? []) as readonly unknown[]).length === 0) {
    throw brokenPatch('no elements in any of the given slices');
  }
  put(merged, field, orderByDirective(list, orderList, before, mergeKey));
}

function deletePrimitives(
  merged: Tree,
  key: string,
  values: unknown,
  schema: SchemaNode | undefined,
  resolve: RefResolver,
): void {
  const field = fieldOf(key, 'invalid patch format of primitive list');
  if (values === null) {
    delete merged[field];
    return;
  }
  const current = own(merged, field);
  if (!Array.isArray(current) || !Array.isArray(values)) return;
  if (current.some(isTree)) {
    const list = mergeListField(current, values, memberSchema(schema, field, resolve), resolve);
    put(merged, field, list);
    return;
  }
  const gone = new Set<unknown>(values);
  put(
    merged,
    field,
    current.filter((value) => !gone.has(value)),
  );
}

/** `merge`, `replace` or `''`: what is left of the strategy list without `retainKeys`, which only clients look at. */
function strategyOf(member: SchemaNode | undefined, resolve: RefResolver): string {
  if (!member) return '';
  const text = member['x-kubernetes-patch-strategy'] ?? resolved(member, resolve)['x-kubernetes-patch-strategy'] ?? '';
  return text.split(',').find((strategy) => strategy !== 'retainKeys') ?? '';
}

function mergeKeyOf(member: SchemaNode | undefined, resolve: RefResolver): string {
  if (!member) return '';
  return member['x-kubernetes-patch-merge-key'] ?? resolved(member, resolve)['x-kubernetes-patch-merge-key'] ?? '';
}

function sameKind(a: unknown, b: unknown): boolean {
  return typeof a === typeof b && Array.isArray(a) === Array.isArray(b) && a !== null;
}

function goType(value: unknown): string {
  if (value === null) return '%!s(<nil>)';
  if (isTree(value)) return 'map[string]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The value without maps that hold `$patch`; `undefined` when it is one itself. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isTree(value)) return value;
  if (Object.hasOwn(value, '$patch')) return undefined;
  const plain: Tree = {};
  for (const key of Object.keys(value)) {
    const kept = withoutDirectives(value[key]);
    if (kept !== undefined) put(plain, key, kept);
  }
  return plain;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isTree(value)) return value;
  const plain: Tree = {};
  for (const key of Object.keys(value)) if (value[key] !== null) put(plain, key, withoutNulls(value[key]));
  return plain;
}
