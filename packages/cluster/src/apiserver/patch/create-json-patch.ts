import { deepEqual } from '@coxswain/runtime/core';
import { isTree } from './tree.ts';

/** One operation of a JSON patch made by {@link createJsonPatch}. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  readonly value?: unknown;
}

/**
 * The JSON patch (RFC 6902) that turns `before` into `after`. Maps are compared key by key; lists element by element after
 * their common start and end are set aside, so one insertion is one operation.
 */
export function createJsonPatch(before: unknown, after: unknown): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(before, after, '', operations);
  return operations;
}

function compare(before: unknown, after: unknown, path: string, out: JsonPatchOperation[]): void {
  if (before === after) return;
  if (isTree(before) && isTree(after)) {
    for (const key of Object.keys(before)) {
      if (before[key] === undefined) continue;
      const gone = !Object.hasOwn(after, key) || after[key] === undefined;
      if (gone) out.push({ op: 'remove', path: `${path}/${escapeToken(key)}` });
      else compare(before[key], after[key], `${path}/${escapeToken(key)}`, out);
    }
    for (const key of Object.keys(after)) {
      if (after[key] === undefined || (Object.hasOwn(before, key) && before[key] !== undefined)) continue;
      out.push({ op: 'add', path: `${path}/${escapeToken(key)}`, value: after[key] });
    }
  } else if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, out);
  else if (!deepEqual(before, after)) out.push({ op: 'replace', path, value: after });
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  out: JsonPatchOperation[],
): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && deepEqual(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && deepEqual(before[before.length - 1 - end], after[after.length - 1 - end])) end++;
  const changed = shorter - start - end;
  for (let i = start; i < start + changed; i++) compare(before[i], after[i], `${path}/${i}`, out);
  const place = start + changed;
  for (let i = before.length - end - 1; i >= place; i--) out.push({ op: 'remove', path: `${path}/${i}` });
  for (let i = place; i < after.length - end; i++) out.push({ op: 'add', path: `${path}/${i}`, value: after[i] });
}

function escapeToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
