import type { KubeObject } from '@coxswain/k8s';
import { deepEqual, isFields } from '../core/index.ts';
import { content, pinOf } from './authorship.ts';
import { jsonPatched } from './json-patch.ts';
import type { Patch } from './types.ts';

/**
 * Whether a write of ours that was answered with another version than we had seen changed anything: the version may be
 * somebody else's. It errs towards `true`.
 * @param before the object as last seen
 */
export type WriteEffect = (before: KubeObject, answer: KubeObject) => boolean;

/** A whole object, as it was sent. */
export function updateEffect(object: KubeObject): WriteEffect {
  const { resourceVersion } = object.metadata;
  if (resourceVersion) return pinned(resourceVersion);
  return (before) => !deepEqual(content(before), content(object));
}

/** What an apply takes away is not in it, so an apply has always changed something. */
export function patchEffect(patch: Patch): WriteEffect {
  const version = pinOf(patch);
  if (version !== undefined) return pinned(version);
  if (patch.type === 'json') return (before) => !deepEqual(jsonPatched(before, patch.body), before);
  return (before) => patch.type === 'apply' || !says(before, patch.body);
}

/** What pins a version is only carried out at that version, and answers another if it changed something. */
function pinned(version: string): WriteEffect {
  return (_, answer) => answer.metadata.resourceVersion !== version;
}

/** Whether a value says all that a merge patch says. Lists are compared as wholes. */
function says(value: unknown, body: unknown): boolean {
  if (body === null || body === undefined) return value === undefined || value === null;
  if (!isFields(body)) return deepEqual(value, body);
  return isFields(value) && Object.entries(body).every(([name, part]) => says(value[name], part));
}
