import type { JsonPatchOperation } from '../client/index.ts';
import { deepEqual, type Fields, isFields } from '../core/index.ts';

/**
 * The JSON patch (RFC 6902) that makes `after` of `before`. Whatever is the same in both is not named, at any depth, so that
 * nothing is written back that was only read. A property that is `undefined` counts as absent.
 */
export function patchBetween(before: unknown, after: unknown, path = ''): JsonPatchOperation[] {
  if (deepEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listPatch(before, after, path);
  if (isFields(before) && isFields(after)) return objectPatch(before, after, path);
  return [{ op: 'replace', path, value: after }];
}

const pointer = (path: string, name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const own = (object: Fields, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

function objectPatch(before: Fields, after: Fields, path: string): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  for (const name of Object.keys(before)) {
    if (before[name] !== undefined && own(after, name) === undefined) {
      operations.push({ op: 'remove', path: pointer(path, name) });
    }
  }
  for (const name of Object.keys(after)) {
    const value = after[name];
    if (value === undefined) continue;
    const old = own(before, name);
    if (old === undefined) operations.push({ op: 'add', path: pointer(path, name), value });
    else operations.push(...patchBetween(old, value, pointer(path, name)));
  }
  return operations;
}

/** What both lists begin and end with stays; what is between is compared one by one. */
function listPatch(before: readonly unknown[], after: readonly unknown[], path: string): JsonPatchOperation[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && deepEqual(before[start], after[start])) start++;
  let same = 0;
  while (same < shorter - start && deepEqual(before.at(-1 - same), after.at(-1 - same))) same++;
  const operations: JsonPatchOperation[] = [];
  for (let i = start; i < shorter - same; i++) operations.push(...patchBetween(before[i], after[i], `${path}/${i}`));
  // from the end, as each removal moves what is behind it
  for (let i = before.length - same - 1; i >= after.length - same; i--) {
    operations.push({ op: 'remove', path: `${path}/${i}` });
  }
  for (let i = before.length - same; i < after.length - same; i++) {
    operations.push({ op: 'add', path: `${path}/${i}`, value: after[i] });
  }
  return operations;
}
