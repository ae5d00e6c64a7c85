import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { apiError, badRequest, cloneJson, formatTime } from '@coxswain/runtime/core';
import { applyPatch, type KindVersions } from '../fieldmanager/index.ts';
import { goJsonKind, put } from '../patch/index.ts';
import { checkValue } from '../request/check-value.ts';
import { type WriteOptions, writeOptions } from '../request/query.ts';
import type { ApiResponse } from '../types.ts';
import { draftOf, isObject, textOf } from './clone.ts';
import { apiVersionOf, type Call, managerOf } from './context.ts';
import { matchUrl, normalise, report, wantedKind } from './decode.ts';
import { metadataOf } from './metadata.ts';
import { checkPatchText, customFault, type PatchKind, patched, patchedFault } from './patched.ts';
import { objectReply } from './projection.ts';
import { resetsOf } from './resets.ts';
import { prune } from './schema.ts';
import { patchFindings } from './strict-findings.ts';
import type { WantedKind } from './typed-body.ts';
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
  checkPatchText(call.request, type === 'apply');
  const change = type === 'apply' ? applyChange(call, options) : patchChange(call, type, options);
  const { object, created } = await changeObject(call, change);
  return objectReply(call, object, created ? 201 : 200);
}

/** The configuration of an apply. @throws ApiError BadRequest when it is of another kind, or of none */
export function configurationOf({ request }: Call, { apiVersion, kind }: WantedKind): MutableJson {
  const config = request.body ?? {};
  if (!isObject(config)) {
    const target = 'Go value of type map[string]interface {}';
    const why = `json: cannot unmarshal ${goJsonKind(config)} into ${target}`;
    throw badRequest(`error decoding patch: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  if (config.apiVersion === apiVersion && config.kind === kind) return config;
  const version = textOf(config.apiVersion ?? '');
  const named = version.includes('/') ? version : `/${version}`;
  throw badRequest(`invalid object type: ${named}, Kind=${textOf(config.kind ?? '')}`);
}

/** Tells of the keys that a configuration has twice. @throws ApiError BadRequest when strict */
export function reportRepeated(call: Call, options: WriteOptions): void {
  const yaml = call.request.text?.repeated ?? [];
  report(call, options, { yaml, texts: [] }, () => {
    const lines = `yaml: unmarshal errors:\n  ${yaml.join('\n  ')}`;
    return badRequest(`error strict decoding patch: error converting YAML to JSON: ${lines}`);
  });
}

function applyChange(call: Call, options: WriteOptions): Change {
  const config = configurationOf(call, wantedKind(call.resource));
  return {
    create: call.subresource === '',
    applied: true,
    options,
    draft(live, versions) {
      const draft = appliedDraft(call, options, live, config, versions);
      reportRepeated(call, options);
      // A configuration without a name is for the object that is there, and creates none.
      matchUrl(call, draft);
      return draft;
    },
  };
}

/** The object that an apply makes, its owners included. */
export function appliedDraft(
  call: Call,
  options: WriteOptions,
  live: DynamicObject | undefined,
  config: MutableJson,
  versions?: KindVersions,
): MutableJson {
  const applied = applyPatch(call.resource.schema, {
    versions,
    live,
    config: draftOf(config),
    manager: managerOf(call, options.fieldManager),
    force: options.force,
    apiVersion: apiVersionOf(call.resource),
    ...resetsOf(call),
    subresource: call.subresource,
    time: formatTime(call.server.clock.now()),
  });
  // The answer shares unchanged parts with the stored object, which is frozen.
  const draft = draftOf(applied);
  normalise(call.resource, draft);
  return draft;
}

function patchChange(call: Call, type: PatchKind, options: WriteOptions): Change {
  const { resource, request } = call;
  const target = { wanted: wantedKind(resource), builtIn: resource.builtIn, schema: resource.schema };
  return {
    create: false,
    applied: false,
    options,
    draft(old) {
      const { next, refuse } = patched(request, type, old, target, options);
      const changed = changedFields(call, next, old);
      checkValue(changed);
      const fault = resource.builtIn
        ? patchedFault(type, next, target.wanted, changed)
        : customFault(next, target.wanted);
      if (fault !== undefined) throw refuse(fault);
      const draft = draftOf(changed);
      normalise(resource, draft);
      matchUrl(call, draft);
      reportPatched(call, type, prune(resource, draft), options, refuse);
      return withRest(draft, next, changed, old);
    },
  };
}

/**
 * Tells of unknown fields in what a patch made, and of what is odd in the patch itself.
 * @throws ApiError Invalid when strict
 */
export function reportPatched(
  call: Call,
  type: PatchKind,
  unknown: readonly string[],
  options: WriteOptions,
  refuse: (why: string) => Error,
): void {
  const texts = [...patchFindings(call.request, type), ...unknown.map((path) => `unknown field "${path}"`)];
  report(call, options, { yaml: [], texts }, refuse);
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
