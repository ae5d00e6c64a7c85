import type { MutableJson } from '@coxswain/k8s';
import { cloneJson } from '@coxswain/runtime/core';
import { fill, isObject, objectAt } from '../../builtin/shared/draft.ts';
import { applyJsonPatch } from '../../patch/index.ts';
import { normalise } from '../../rest/decode.ts';
import { applyDefaults, checkTypes, prune } from '../../rest/schema.ts';
import type { AdmissionAttributes, ResourceInfo } from '../../types.ts';

/** Why a patch does not apply. To clients that is not told, but who wrote the patch needs it. */
export function patchProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (typeof error.cause !== 'string') return error.message.replace(/^.* cannot be handled as an? \w+: /, '');
  const missing = /^unable to remove nonexistent key: (.*)$/.exec(error.cause)?.[1];
  if (missing !== undefined) {
    const key = missing.slice(missing.lastIndexOf('/') + 1);
    return `error in remove for path: '${missing}': Unable to remove nonexistent key: ${key}: missing value`;
  }
  return isTestFailure(error) ? `${error.cause}: test failed` : error.cause;
}

/** Whether a patch does not apply because one of its tests says so. */
export const isTestFailure = (error: unknown): boolean =>
  error instanceof Error && typeof error.cause === 'string' && error.cause.startsWith('testing value');

/** What a JSON patch makes of an object. @throws Error */
export function patched(object: MutableJson, operations: readonly unknown[]): MutableJson {
  const next = cloneJson(applyJsonPatch(object, operations));
  if (!isObject(next)) throw new Error('the patch turns the object into something that is not a JSON object');
  return next;
}

/** Brings a changed object into the form of its kind. Answers the paths of unknown fields, which are gone. @throws ApiError BadRequest */
export function settle(resource: ResourceInfo, next: MutableJson): readonly string[] {
  normalise(resource, next);
  checkTypes(resource, next);
  return prune(resource, next);
}

/** What the server gives every new object. Nobody takes it away. */
const stamped = ['namespace', 'uid', 'creationTimestamp'];

/** Makes the object of a write another one, with the defaults of its kind. `next` is left alone. */
export function replaceDraft({ operation, object, resource }: AdmissionAttributes, next: MutableJson): void {
  if (!object) return;
  const before = objectAt(object, 'metadata');
  for (const key of Object.keys(object)) if (!(key in next)) delete object[key];
  Object.assign(object, cloneJson(next));
  const after = objectAt(object, 'metadata');
  if (operation === 'CREATE' && before && after) {
    for (const key of stamped) if (before[key] !== undefined) fill(after, key, before[key]);
  }
  if (object.kind === resource.kind) applyDefaults(resource, object);
}
