import type { MutableJson } from '@coxswain/k8s';
import { parseJson } from '@coxswain/runtime/client';
import { cloneJson, deepEqual } from '@coxswain/runtime/core';
import type { AdmissionAttributes, ResourceInfo } from '../../types.ts';
import { patched, patchProblem, replaceDraft, settle } from '../draft/index.ts';
import { inVersion, prepareVersion } from '../matching/index.ts';
import { CallFailure, internalError } from './failures.ts';
import type { Invocation } from './match.ts';
import type { Reply } from './reply.ts';

function operationsOf({ hook }: Invocation, { patch, patchType }: Reply): readonly unknown[] {
  let operations: unknown;
  try {
    operations = parseJson(patch);
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

/** What a patch makes of an object, brought into the form of its kind. @throws ApiError InternalError */
function changed(resource: ResourceInfo, object: MutableJson, operations: readonly unknown[]): MutableJson {
  try {
    const next = patched(object, operations);
    if (object.kind === resource.kind) settle(resource, next);
    return next;
  } catch (error) {
    throw internalError(patchProblem(error));
  }
}

/**
 * Applies a webhook's patch to the object of a write, prunes and defaults it. Answers whether the patch changed it.
 * @throws CallFailure, ApiError InternalError
 */
export async function patchDraft(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  reply: Reply,
): Promise<boolean> {
  const operations = operationsOf(invocation, reply);
  if (operations.length === 0) return false;
  const { object } = attributes;
  if (!object) {
    const by = `admission webhook ${JSON.stringify(invocation.hook.name)}`;
    throw internalError(`${by} attempted to modify the object, which is not supported for this operation`);
  }
  const shown = cloneJson(inVersion(object, attributes.resource, invocation.resource));
  const next = changed(invocation.resource, shown, operations);
  await prepareVersion(next, invocation.resource, attributes.resource);
  replaceDraft(attributes, inVersion(next, invocation.resource, attributes.resource));
  return !deepEqual(shown, next);
}
