import type { JsonPatchOperation, Patch } from './types.ts';

/** Media type of each kind of patch. */
export const patchContentType: Readonly<Record<Patch['type'], string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** JSON merge patch (RFC 7386): objects are merged, `null` removes, lists are replaced whole. */
export function merge(body: unknown): Patch {
  return { type: 'merge', body };
}

/** JSON patch (RFC 6902). A failing `test` is refused as 422 Invalid. */
export function json(operations: readonly JsonPatchOperation[]): Patch {
  return { type: 'json', body: operations };
}

/** Strategic merge patch: lists are merged by their keys. Built-in kinds only; for others the server answers 415. */
export function strategic(body: unknown): Patch {
  return { type: 'strategic', body };
}

/** Server-side apply: `body` is all that this field manager wants, with `apiVersion`, `kind` and `metadata.name`. */
export function apply(body: unknown): Patch {
  return { type: 'apply', body };
}
