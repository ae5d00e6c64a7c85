import { badRequest } from '@coxswain/runtime/core';
import { undecodable } from './errors.ts';
import { isTree, own, put, type Tree } from './tree.ts';

/**
 * RFC 7386. Answers a new document that shares unchanged parts with `doc` and `patch`. As on the real server, a value that
 * has no counterpart in `doc` loses its nulls, those in lists included.
 * @param lax fields are not validated: a list takes the place of the document, as the library has it
 * @throws ApiError 400 when `patch` is not an object
 */
export function applyMergePatch(doc: unknown, patch: unknown, lax = false): unknown {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (lax && Array.isArray(patch)) return patch;
  if (lax && !isTree(patch)) throw badRequest('Invalid JSON Patch');
  if (!isTree(patch)) throw undecodable(patch, 'value of type map[string]interface {}');
  return isTree(doc) ? mergeTrees(doc, patch) : withoutNulls(patch);
}

function mergeTrees(doc: Tree, patch: Tree): Tree {
  const merged: Tree = { ...doc };
  for (const key of Object.keys(patch)) {
    const value = patch[key] ?? null;
    if (value === null) delete merged[key];
    else put(merged, key, mergeValues(own(doc, key), value));
  }
  return merged;
}

function mergeValues(current: unknown, patch: unknown): unknown {
  if (!isTree(current)) return withoutNulls(patch);
  return isTree(patch) ? mergeTrees(current, patch) : patch;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (!isTree(value)) return value;
  const pruned: Tree = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== null) put(pruned, key, withoutNulls(value[key]));
  }
  return pruned;
}
