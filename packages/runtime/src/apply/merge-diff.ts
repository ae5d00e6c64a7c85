import { deepEqual, type Fields, isFields } from '../core/index.ts';

/**
 * The JSON merge patch that makes `before` equal `after`: only what differs; what is gone as `null`; lists whole.
 * `undefined` when nothing differs. Fields of `after` that are `undefined` count as absent.
 */
export function mergeDiff(before: Fields, after: Fields): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  for (const name of Object.keys(after)) {
    const [old, value] = [before[name], after[name]];
    if (value === undefined || deepEqual(old, value)) continue;
    patch[name] = isFields(old) && isFields(value) ? mergeDiff(old, value) : value;
  }
  for (const name of Object.keys(before)) {
    const old = before[name];
    if (old !== undefined && old !== null && after[name] === undefined) patch[name] = null;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Applies a merge patch of {@link mergeDiff} to a value. */
export function mergePatched(target: Fields, patch: Fields): Record<string, unknown> {
  const result: Record<string, unknown> = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    const old = result[name];
    if (value === null) delete result[name];
    else result[name] = isFields(value) ? mergePatched(isFields(old) ? old : {}, value) : value;
  }
  return result;
}
