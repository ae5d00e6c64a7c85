import type { KubeObject } from '@coxswain/k8s';
import { explains } from './explains.ts';
import { jsonPatched } from './json-patch.ts';
import type { DeleteOptions, Patch } from './types.ts';

/**
 * Whether the version of the object that a write of ours answered is our own doing. A write that changes nothing is
 * answered with the object as it is, and its version may be somebody else's write that we have not heard of.
 * True for a version of others only when it says nothing that our write does not say too.
 * @param before the object as last seen; `undefined` when it was not there, or not seen whole
 */
export type Authorship = (before: KubeObject | undefined, answer: KubeObject) => boolean;

/** An object that was made is its maker's. */
export const createAuthorship: Authorship = () => true;

/** @param object as sent; with a version in it, only a write that changed something answers another version */
export function updateAuthorship(object: KubeObject): Authorship {
  const { resourceVersion } = object.metadata;
  if (resourceVersion) return pinned(resourceVersion);
  return (before, answer) =>
    before !== undefined && explains(content(before), content(answer), content(object), 'whole');
}

/** Which changes the answer to a patch shows: only ours where the patch pins a version, else maybe those of others too. */
export function patchAuthorship(patch: Patch): Authorship {
  const version = pinOf(patch);
  if (version !== undefined) return pinned(version);
  return (before, answer) => {
    if (patch.type === 'apply' && (!before || before.metadata.uid !== answer.metadata.uid))
      return isSolelyApplied(answer);
    if (!before) return false;
    if (patch.type !== 'json') {
      const reach = patch.type === 'merge' ? 'lists' : 'elements';
      return explains(content(before), content(answer), patch.body, reach);
    }
    const expected = jsonPatched(before, patch.body);
    return (
      expected !== undefined && explains(content(before), content(answer), content(expected as KubeObject), 'whole')
    );
  };
}

/** Of a delete that left the object there, held by finalizers or a grace period. */
export function deleteAuthorship(options: DeleteOptions = {}): Authorship {
  const version = options.preconditions?.resourceVersion;
  if (version) return pinned(version);
  return (before, answer) => {
    if (!before) return false;
    const { deletionTimestamp, deletionGracePeriodSeconds } = answer.metadata;
    const finalizers = ['foregroundDeletion', 'orphan'];
    const body = { metadata: { deletionTimestamp, deletionGracePeriodSeconds, finalizers } };
    return explains(content(before), content(answer), body, 'elements');
  };
}

function pinned(version: string): Authorship {
  return (_, answer) => answer.metadata.resourceVersion !== version;
}

/** The version at which a patch insists to find the object. */
export function pinOf(patch: Patch): string | undefined {
  if (patch.type === 'json') {
    const pin = patch.body.find(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion');
    return pin && 'value' in pin && typeof pin.value === 'string' ? pin.value : undefined;
  }
  const { metadata } = (patch.body ?? {}) as { readonly metadata?: { readonly resourceVersion?: unknown } | null };
  const version = metadata?.resourceVersion;
  return typeof version === 'string' && version !== '' ? version : undefined;
}

/** Nobody but one applier, who is us, has said anything: we made it. A server that keeps no managedFields does not tell. */
function isSolelyApplied({ metadata: { managedFields } }: KubeObject): boolean {
  return !managedFields || (managedFields.length === 1 && managedFields[0]?.operation === 'Apply');
}

/** An object without what counts its writes instead of saying something. */
export function content(object: KubeObject): object {
  const { resourceVersion: _version, generation: _generation, managedFields: _managed, ...metadata } = object.metadata;
  return { ...object, metadata };
}
