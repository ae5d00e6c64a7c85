import type { MutableJson } from '@coxswain/k8s';
import { cloneJson, deepEqual } from '@coxswain/runtime/core';
import { isObject } from '../../builtin/shared/draft.ts';
import { applyJsonPatch } from '../../patch/index.ts';
import { normalise } from '../../rest/decode.ts';
import { applyDefaults, checkTypes, prune } from '../../rest/schema.ts';
import type { AdmissionAttributes, ResourceInfo } from '../../types.ts';
import { inVersion } from '../matching/index.ts';
import { CallFailure, internalError } from './failures.ts';
import type { Invocation } from './match.ts';
import type { Reply } from './reply.ts';

function operationsOf({ hook }: Invocation, { patch, patchType }: Reply): readonly unknown[] {
  let operations: unknown;
  try {
    operations = JSON.parse(patch);
  } catch (error) {
    throw new CallFailure(hook.name, `received undecodable patch in webhook response: ${(error as Error).message}`);
  }
  if (operations === null) return [];
  if (!Array.isArray(operations)) {
    const type = typeof operations === 'boolean' ? 'bool' : typeof operations;
    const why = `json: cannot unmarshal ${type} into Go value of type jsonpatch.Patch`;
    throw new CallFailure(hook.name, `received undecodable patch in webhook response: ${why}`);
  }
  if (operations.length > 0 && patchType !== 'JSONPatch') {
    throw new CallFailure(hook.name, `unsupported patch type ${JSON.stringify(patchType)}`);
  }
  return operations;
}

/** Why a patch does not apply. To clients that is not told, but a webhook's author needs it. */
function patchProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (typeof error.cause !== 'string') return error.message;
  const missing = /^unable to remove nonexistent key: (.*)$/.exec(error.cause)?.[1];
  if (missing !== undefined) {
    const key = missing.slice(missing.lastIndexOf('/') + 1);
    return `error in remove for path: '${missing}': Unable to remove nonexistent key: ${key}: missing value`;
  }
  return error.cause.startsWith('testing value') ? `${error.cause}: test failed` : error.cause;
}

function settle(resource: ResourceInfo, next: MutableJson): void {
  normalise(resource, next);
  checkTypes(resource, next);
  prune(resource, next);
}

/** What a patch makes of an object, brought into the form of its kind. @throws ApiError InternalError */
function patched(resource: ResourceInfo, object: MutableJson, operations: readonly unknown[]): MutableJson {
  try {
    const next = cloneJson(applyJsonPatch(object, operations));
    if (!isObject(next)) throw new Error('the patch turns the object into something that is not a JSON object');
    if (object.kind === resource.kind) settle(resource, next);
    return next;
  } catch (error) {
    throw internalError(patchProblem(error));
  }
}

function replace(draft: MutableJson, next: MutableJson): void {
  for (const key of Object.keys(draft)) if (!(key in next)) delete draft[key];
  Object.assign(draft, next);
}

/**
 * Applies a webhook's patch to the object of a write, prunes and defaults it. Answers whether the patch changed it.
 * @throws CallFailure, ApiError InternalError
 */
export function patchDraft(invocation: Invocation, attributes: AdmissionAttributes, reply: Reply): boolean {
  const operations = operationsOf(invocation, reply);
  if (operations.length === 0) return false;
  const { object } = attributes;
  if (!object) {
    const by = `admission webhook ${JSON.stringify(invocation.hook.name)}`;
    throw internalError(`${by} attempted to modify the object, which is not supported for this operation`);
  }
  const shown = inVersion(object, attributes.resource, invocation.resource);
  const next = patched(invocation.resource, shown, operations);
  const changed = !deepEqual(shown, next);
  const back = inVersion(next, invocation.resource, attributes.resource);
  replace(object, cloneJson(back));
  if (object.kind === attributes.resource.kind) applyDefaults(attributes.resource, object);
  return changed;
}
