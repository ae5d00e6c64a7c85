import type { MutableJson } from '@coxswain/k8s';
import { stringifyJson } from '@coxswain/runtime/client';
import { badRequest, invalid } from '@coxswain/runtime/core';
import { compileSchema } from '@coxswain/schema';
import { definitionOf, faultOf, objectMeta, settleNulls } from '../go-types/index.ts';
import type { WriteOptions } from '../request/query.ts';
import type { ResourceInfo } from '../types.ts';
import { draftOf, dropNulls, isObject, textOf } from './clone.ts';
import { apiVersionOf, type Call, warn } from './context.ts';
import { fieldInvalid } from './field-errors.ts';
import { metadataOf } from './metadata.ts';
import { prune } from './schema.ts';
import { type StrictFindings, strictError, strictFindings } from './strict-findings.ts';
import {
  asRecognized,
  notHandled,
  otherVersion,
  overflow,
  typedBody,
  unrecognized,
  type WantedKind,
} from './typed-body.ts';

/**
 * A private, mutable copy of the body that is of the resource's kind, its fields of the types they have.
 * @throws ApiError BadRequest when it is not
 */
export function decodeObject(call: Call): MutableJson {
  const { resource, request } = call;
  const body = resource.builtIn ? typedBody(request, wantedKind(resource)) : customBody(call);
  return draftObject(resource, body);
}

export function wantedKind(resource: ResourceInfo): WantedKind {
  return { group: resource.group, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** A draft of an object of the resource's kind. */
export function draftObject(resource: ResourceInfo, body: MutableJson): MutableJson {
  // The identifying fields come first in what is stored, as readers expect them.
  const draft: MutableJson = { apiVersion: undefined, kind: undefined, metadata: undefined, ...draftOf(body) };
  normalise(resource, draft);
  return draft;
}

/**
 * Makes sure of `apiVersion`, `kind` and the shape of `metadata`; nulls of typed kinds go.
 * @throws ApiError BadRequest
 */
export function normalise(resource: ResourceInfo, draft: MutableJson): void {
  if (resource.builtIn) {
    const definition = definitionOf(apiVersionOf(resource), resource.kind);
    if (definition === undefined) dropNulls(draft);
    else settleNulls(definition, draft);
  }
  draft.apiVersion = apiVersionOf(resource);
  draft.kind = resource.kind;
  if (draft.metadata === undefined || draft.metadata === null) draft.metadata = {};
  const fault = metadataFault(draft);
  if (fault !== undefined) throw notHandled(wantedKind(resource), resource.kind, fault);
  const meta = metadataOf(draft);
  for (const key of Object.keys(meta)) if (meta[key] === null) delete meta[key];
}

/** Custom kinds have no type but that of their metadata: validation answers for the rest. */
function customBody(call: Call): MutableJson {
  const { resource, request } = call;
  const { body, ...given } = asRecognized(request, resource.kind);
  const wanted = wantedKind(resource);
  if (given.kind === '') {
    const text = request.text ? Buffer.from(request.text.bytes).toString('utf8') : stringifyJson(request.body);
    throw unrecognized(request, resource.kind, `Object 'Kind' is missing in '${text}'`);
  }
  const { huge } = request.text ?? {};
  const fault = huge === undefined ? metadataFault(body) : overflow(huge);
  if (fault !== undefined) throw notHandled(given, resource.kind, fault);
  if (given.apiVersion !== wanted.apiVersion) {
    if (given.kind === wanted.kind) reportOtherVersion(call, given, body);
    throw otherVersion(given.apiVersion, wanted);
  }
  if (given.kind !== wanted.kind) {
    const name = isObject(body.metadata) ? textOf(body.metadata.name ?? '') : '';
    throw invalid(resource.group, given.kind, name, [fieldInvalid('kind', given.kind, `must be ${wanted.kind}`)]);
  }
  return body;
}

/** What is unknown in a body of another version is told too, by the schema of that version if it is served. */
function reportOtherVersion(
  call: Call,
  given: { readonly apiVersion: string; readonly kind: string },
  body: MutableJson,
) {
  const { group, plural } = call.resource;
  const [bodyGroup, version = ''] = given.apiVersion.split('/');
  if (bodyGroup !== group) return;
  const schema = call.server.registry.find(group, version, plural)?.schema ?? { type: 'object' };
  const unknown = compileSchema(schema).prune(draftOf(body));
  const fieldValidation = (call.query.fieldValidation || 'Warn') as WriteOptions['fieldValidation'];
  const findings = strictFindings(call.request, unknown, false);
  report(call, { fieldValidation }, findings, (why) => notHandled(given, given.kind, why));
}

/** Why the metadata of an object could not be read into that of any object. */
function metadataFault(body: MutableJson): string | undefined {
  return faultOf(objectMeta, body.metadata);
}

/**
 * Removes unknown fields from the draft, and warns or refuses as `fieldValidation` says.
 * @throws ApiError BadRequest when strict
 */
export function dropUnknown(call: Call, draft: MutableJson, options: WriteOptions): void {
  const unknown = prune(call.resource, draft);
  if (options.fieldValidation === 'Ignore') return;
  const findings = strictFindings(call.request, unknown, call.resource.builtIn);
  report(call, options, findings, (why) => notHandled(wantedKind(call.resource), call.resource.kind, why));
}

/** Warns of what a strict decoder objects to, or refuses, as `fieldValidation` says. */
export function report(
  call: Call,
  { fieldValidation }: Pick<WriteOptions, 'fieldValidation'>,
  { texts, yaml }: StrictFindings,
  refuse: (why: string) => Error,
): void {
  if (fieldValidation === 'Ignore' || (texts.length === 0 && yaml.length === 0)) return;
  if (fieldValidation === 'Warn') {
    for (const text of [...yaml, ...texts]) warn(call, text);
    return;
  }
  throw refuse(strictError({ texts, yaml }));
}

/** The name and namespace of the body must be those of the URL. @throws ApiError BadRequest */
export function matchUrl(call: Call, draft: MutableJson): void {
  const meta = metadataOf(draft);
  if (!meta.name) {
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`);
  }
  if (meta.name !== call.name) {
    throw badRequest(`the name of the object (${textOf(meta.name)}) does not match the name on the URL (${call.name})`);
  }
  if (call.resource.namespaced && meta.namespace && meta.namespace !== call.namespace) {
    throw badRequest(
      `the namespace of the object (${textOf(meta.namespace)}) does not match the namespace on the request (${call.namespace})`,
    );
  }
  matchNamespace(call, draft);
}

/** The namespace of the body must be that of the URL. @throws ApiError BadRequest */
export function matchNamespace(call: Call, draft: MutableJson): void {
  const meta = metadataOf(draft);
  if (!call.resource.namespaced) {
    delete meta.namespace;
    return;
  }
  if (meta.namespace && meta.namespace !== call.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  meta.namespace = call.namespace;
}
