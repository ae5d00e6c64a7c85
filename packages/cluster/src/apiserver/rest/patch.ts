import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { ApiError, apiError, badRequest, cloneJson, formatTime, invalid } from '@coxswain/runtime/core';
import type { SchemaNode } from '@coxswain/schema';
import { applyPatch } from '../fieldmanager/index.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicPatch, put } from '../patch/index.ts';
import { checkValue } from '../request/check-value.ts';
import { type WriteOptions, writeOptions } from '../request/query.ts';
import type { ApiResponse } from '../types.ts';
import { draftOf, isObject, textOf } from './clone.ts';
import { apiVersionOf, type Call, managerOf } from './context.ts';
import { decodeBody, dropUnknown, matchUrl, normalise, reportDuplicates } from './decode.ts';
import { fieldInvalid } from './field-errors.ts';
import { metadataOf } from './metadata.ts';
import { objectReply } from './projection.ts';
import { resetsOf } from './resets.ts';
import { checkTypes } from './schema.ts';
import { type Change, changeObject } from './update.ts';

const types = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
} as const;

export type PatchType = (typeof types)[keyof typeof types];

/** The patch type of a request's content type. @throws ApiError UnsupportedMediaType */
export function patchTypeOf(call: Call): PatchType {
  const media = (call.request.contentType ?? '').split(';')[0]?.trim() ?? '';
  const type = Object.hasOwn(types, media) ? types[media as keyof typeof types] : undefined;
  if (type && (type !== 'strategic' || call.resource.builtIn)) return type;
  const accepted = Object.keys(types).filter((name) => call.resource.builtIn || !name.includes('strategic'));
  if (call.resource.builtIn) throw apiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  throw apiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

/** PATCH of an object or its status. */
export async function patch(call: Call): Promise<ApiResponse> {
  const type = patchTypeOf(call);
  const options = writeOptions(call.query, 'PatchOptions', type === 'apply');
  const change = type === 'apply' ? applyChange(call, options) : patchChange(call, type, options);
  const { object, created } = await changeObject(call, change);
  return objectReply(call, object, created ? 201 : 200);
}

function applyChange(call: Call, options: WriteOptions): Change {
  checkAppliedType(call);
  const config = decodeBody(call);
  // On a copy: what the client left out stays out of what its manager applies.
  matchUrl(call, draftOf(config));
  reportDuplicates(call, options);
  return {
    create: call.subresource === '',
    applied: true,
    options,
    // The answer shares unchanged parts with the stored object, which is frozen.
    draft: (live) =>
      draftOf(
        applyPatch(call.resource.schema, {
          live,
          config: draftOf(config),
          manager: managerOf(call, options.fieldManager),
          force: options.force,
          apiVersion: apiVersionOf(call.resource),
          ...resetsOf(call),
          subresource: call.subresource,
          time: formatTime(call.server.clock.now()),
        }),
      ),
  };
}

/** @throws ApiError BadRequest when the configuration is of another kind, or of none */
function checkAppliedType(call: Call): void {
  const { body } = call.request;
  if (!isObject(body)) return;
  const { apiVersion, kind } = body;
  if (apiVersion === apiVersionOf(call.resource) && kind === call.resource.kind) return;
  const version = textOf(apiVersion ?? '');
  const named = version.includes('/') ? version : `/${version}`;
  throw badRequest(`invalid object type: ${named}, Kind=${textOf(kind ?? '')}`);
}

function patchChange(call: Call, type: Exclude<PatchType, 'apply'>, options: WriteOptions): Change {
  return {
    create: false,
    applied: false,
    options,
    draft(old) {
      const next = patched(call, type, old, call.resource.schema);
      if (!isObject(next)) {
        checkValue(next);
        throw badRequest('the patch turns the object into something that is not a JSON object');
      }
      const changed = changedFields(call, next, old);
      checkValue(changed);
      const draft = draftOf(changed);
      const text = () => JSON.stringify(next);
      checkPatchedType(call, draft, text);
      decodable(text, () => {
        normalise(call.resource, draft);
        checkTypes(call.resource, draft);
      });
      matchUrl(call, draft);
      decodable(text, () => dropUnknown(call, draft, options));
      return withRest(draft, next, changed, old);
    },
  };
}

/** The fields of a built-in object that a patch has touched, and its metadata: the others were checked when they were stored. */
function changedFields(call: Call, next: MutableJson, old: DynamicObject | undefined): MutableJson {
  if (!call.resource.builtIn || !old) return next;
  const changed: MutableJson = {};
  for (const key of Object.keys(next)) if (!isUntouched(key, next, old)) put(changed, key, next[key]);
  const { metadata } = changed;
  if (isObject(metadata) && metadata.managedFields === old.metadata.managedFields) {
    const { managedFields: _, ...others } = metadata;
    changed.metadata = others;
  }
  return changed;
}

function isUntouched(key: string, next: MutableJson, old: DynamicObject): boolean {
  return key !== 'metadata' && typeof next[key] === 'object' && next[key] === (old as unknown as MutableJson)[key];
}

/** The draft of the changed fields with copies of the others, in the order of the patched document. */
function withRest(
  draft: MutableJson,
  next: MutableJson,
  changed: MutableJson,
  old: DynamicObject | undefined,
): MutableJson {
  if (next === changed) return draft;
  const whole: MutableJson = {};
  for (const key of Object.keys(next)) {
    if (!Object.hasOwn(changed, key)) put(whole, key, cloneJson(next[key]));
    else if (Object.hasOwn(draft, key)) put(whole, key, draft[key]);
  }
  for (const key of Object.keys(draft)) put(whole, key, draft[key]);
  const kept = old?.metadata.managedFields;
  // Not a copy: what it says has been read before.
  if (kept && isObject(next.metadata) && next.metadata.managedFields === kept) metadataOf(whole).managedFields = kept;
  return whole;
}

function checkPatchedType(call: Call, { apiVersion, kind }: MutableJson, text: () => string): void {
  if (!call.resource.builtIn || (apiVersion === apiVersionOf(call.resource) && kind === call.resource.kind)) return;
  throw invalidPatch(text(), `unable to decode ${textOf(kind)} in ${textOf(apiVersion)} as ${call.resource.kind}`);
}

function invalidPatch(text: string, why: string): ApiError {
  return invalid('', '', '', [fieldInvalid('patch', text, why)]);
}

/** What the patch made cannot be read as the kind: that is held against the patch, not against the form of the request. */
function decodable(text: () => string, decode: () => void): void {
  try {
    decode();
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'BadRequest') throw error;
    const why = (error.status.message ?? '').replace(/^.*?(?=json: |strict decoding error: )/s, '');
    throw invalidPatch(text(), why);
  }
}

/** The document after the patch; neither the document nor the patch is changed. */
export function patched(
  call: Call,
  type: Exclude<PatchType, 'apply'>,
  document: DynamicObject | undefined,
  schema: SchemaNode,
): unknown {
  const { body } = call.request;
  switch (type) {
    case 'json':
      return applyJsonPatch(document, body);
    case 'merge':
      return applyMergePatch(document, body);
    case 'strategic':
      return applyStrategicPatch(schema, document, body);
  }
}
