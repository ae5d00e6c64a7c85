import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { type ApiError, apiError, badRequest, invalid } from '@coxswain/runtime/core';
import type { SchemaNode } from '@coxswain/schema';
import { definitionOf, faultOf, marshal, objectMeta, restoreFault } from '../go-types/index.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicPatch, goText } from '../patch/index.ts';
import { checkValue } from '../request/check-value.ts';
import type { WriteOptions } from '../request/query.ts';
import type { ApiRequest } from '../types.ts';
import { isObject } from './clone.ts';
import { fieldInvalid } from './field-errors.ts';
import { interpretedBody, overflow, typeFault, Unrecognized, type WantedKind } from './typed-body.ts';

export type PatchKind = 'json' | 'merge' | 'strategic';

/** What is patched. */
export interface PatchTarget {
  readonly wanted: WantedKind;
  readonly builtIn: boolean;
  readonly schema: SchemaNode;
}

/** A document after a patch. */
export interface Patched {
  /** Shares unchanged parts with the document before. */
  readonly next: MutableJson;
  /** The 422 for what the patch made of it: held against the patch, not against the form of the request. */
  refuse(why: string): ApiError;
}

/**
 * The document after the patch of a request. Neither is changed.
 * @throws ApiError for patches that are none or do not apply, and for results that are not even an object
 */
export function patched(
  request: ApiRequest,
  type: PatchKind,
  document: DynamicObject | undefined,
  target: PatchTarget,
  { fieldValidation }: WriteOptions,
): Patched {
  const { huge } = request.text ?? {};
  if (huge !== undefined) throw badRequest(`${type === 'strategic' ? '' : 'error decoding patch: '}${overflow(huge)}`);
  const next = applied(request, type, document, target, fieldValidation === 'Ignore');
  const refuse = (why: string) => invalidPatch(quoted(request, type, next, document, target), why);
  if (isObject(next)) return { next, refuse };
  checkValue(next);
  throw refuse(nextFault(next));
}

function applied(
  { body }: ApiRequest,
  type: PatchKind,
  document: DynamicObject | undefined,
  { schema }: PatchTarget,
  lax: boolean,
): unknown {
  switch (type) {
    case 'json':
      return applyJsonPatch(document, body, lax);
    case 'merge':
      return applyMergePatch(document, body, lax);
    case 'strategic':
      return applyStrategicPatch(schema, document, body);
  }
}

function nextFault(next: unknown): string {
  try {
    interpretedBody(next ?? null);
  } catch (error) {
    if (error instanceof Unrecognized) return error.message;
    throw error;
  }
  return 'the patch leaves nothing of the object';
}

function invalidPatch(text: string, why: string): ApiError {
  return invalid('', '', '', [fieldInvalid('patch', text, why)]);
}

/** The patched document as the real server has it at that point; after a strategic patch only the patch. */
function quoted(
  { body }: ApiRequest,
  type: PatchKind,
  next: unknown,
  document: DynamicObject | undefined,
  { wanted, builtIn }: PatchTarget,
): string {
  if (type === 'strategic') return goText(body);
  if (!builtIn) return marshal(next);
  const untouched = partsOf(document);
  return marshal(next, definitionOf(wanted.apiVersion, wanted.kind), (part) => !untouched.has(part));
}

/** All objects in a document, but itself: its first level is always taken apart. */
function partsOf(document: unknown): ReadonlySet<object> {
  const parts = new Set<object>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const item of Object.values(value)) {
      if (typeof item === 'object' && item !== null) parts.add(item);
      collect(item);
    }
  };
  collect(document);
  return parts;
}

/**
 * Why what a patch made of an object of a built-in kind could not be read as that kind. `undefined` when it could.
 * @param changed those of the document's fields that the patch has touched; default: all
 */
export function patchedFault(
  type: PatchKind,
  next: MutableJson,
  wanted: WantedKind,
  changed: MutableJson = next,
): string | undefined {
  // The converter does not ask what it converts.
  if (type === 'strategic') {
    const definition = definitionOf(wanted.apiVersion, wanted.kind);
    return definition && restoreFault(definition, changed);
  }
  try {
    const { apiVersion, kind } = interpretedBody(next);
    const given = { apiVersion: apiVersion || wanted.apiVersion, kind: kind || wanted.kind };
    const definition = definitionOf(given.apiVersion, given.kind);
    const other = typeFault(given, wanted);
    return (definition && faultOf(definition, other === undefined ? changed : next)) ?? other;
  } catch (error) {
    if (error instanceof Unrecognized) return error.message;
    throw error;
  }
}

/**
 * Why what a patch made of an object of a custom kind could not be read; only its kind and its metadata have types.
 * @throws ApiError for an object that says it is of another kind, or of none
 */
export function customFault(next: MutableJson, { group, apiVersion, kind }: WantedKind): string | undefined {
  try {
    interpretedBody(next);
  } catch (error) {
    if (error instanceof Unrecognized) return error.message;
    throw error;
  }
  if (!next.kind) return `Object 'Kind' is missing in '${marshal(next)}'`;
  const fault = faultOf(objectMeta, next.metadata);
  if (fault !== undefined) return fault;
  if (!next.apiVersion) {
    const why = "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'";
    throw apiError(500, 'InternalError', why, { causes: [{ message: why.slice('Internal error occurred: '.length) }] });
  }
  const errors = [
    ...(next.apiVersion === apiVersion ? [] : [fieldInvalid('apiVersion', next.apiVersion, `must be ${apiVersion}`)]),
    ...(next.kind === kind ? [] : [fieldInvalid('kind', next.kind, `must be ${kind}`)]),
  ];
  if (errors.length === 0) return undefined;
  const name = isObject(next.metadata) ? String(next.metadata.name ?? '') : '';
  throw invalid(group, String(next.kind), name, errors);
}

/** The patch of a request must be readable as such. @throws ApiError BadRequest */
export function checkPatchText({ text, body }: ApiRequest, apply: boolean): void {
  if (apply ? text?.fault !== undefined : text?.fault !== undefined || body === undefined) {
    throw badRequest(apply ? `error encoding patch: ${text?.fault}` : 'invalid JSON patch');
  }
}
