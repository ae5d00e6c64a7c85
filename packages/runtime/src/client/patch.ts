import { type Kind, resourceName } from '@coxswain/k8s';
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

/** Strategic merge patch: lists are merged by their keys. Built-in kinds only; for others it is refused. */
export function strategic(body: unknown): Patch {
  return { type: 'strategic', body };
}

/** Server-side apply: `body` is all that this field manager wants, with `apiVersion`, `kind` and `metadata.name`. */
export function apply(body: unknown): Patch {
  return { type: 'apply', body };
}

/**
 * Only Kubernetes' own kinds know how their lists are merged. Their groups have no dot or end with `k8s.io`, which is not
 * theirs alone: what this lets through, the server refuses as 415.
 * @throws TypeError for a strategic patch of another kind
 */
export function checkPatch(kind: Kind, { type }: Patch): void {
  if (type !== 'strategic' || !kind.group.includes('.') || kind.group.endsWith('.k8s.io')) return;
  throw new TypeError(
    `cannot patch ${resourceName(kind)}: strategic patches are for the built-in kinds; use merge, json or apply`,
  );
}
