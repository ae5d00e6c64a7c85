import type { MutableJson } from '@coxswain/k8s';
import { badRequest, invalid } from '@coxswain/runtime/core';
import type { WriteOptions } from '../request/query.ts';
import type { ResourceInfo } from '../types.ts';
import { draftOf, dropNulls, isObject, textOf } from './clone.ts';
import { apiVersionOf, type Call, warn } from './context.ts';
import { fieldInvalid } from './field-errors.ts';
import { metadataOf } from './metadata.ts';
import { checkTypes, prune } from './schema.ts';

/**
 * A private, mutable copy of the body that is of the resource's kind.
 * @throws ApiError BadRequest when it is not
 */
export function decodeBody(call: Call): MutableJson {
  const { resource, request } = call;
  const body = request.body;
  if (!isObject(body)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): the body must be a JSON object, not ${describe(body)}`,
    );
  }
  checkType(resource, body);
  // The identifying fields come first in what is stored, as readers expect them.
  const draft: MutableJson = { apiVersion: undefined, kind: undefined, metadata: undefined, ...draftOf(body) };
  normalise(resource, draft);
  return draft;
}

/** {@link decodeBody}, for bodies that are whole objects: fields of typed kinds have their types. */
export function decodeObject(call: Call): MutableJson {
  const draft = decodeBody(call);
  checkTypes(call.resource, draft);
  return draft;
}

/** Makes sure of `apiVersion`, `kind` and the shape of `metadata`; nulls of typed kinds go. */
export function normalise(resource: ResourceInfo, draft: MutableJson): void {
  if (resource.builtIn) dropNulls(draft);
  draft.apiVersion = apiVersionOf(resource);
  draft.kind = resource.kind;
  if (draft.metadata === undefined || draft.metadata === null) draft.metadata = {};
  checkMetadata(resource, draft.metadata);
  const meta = metadataOf(draft);
  for (const key of Object.keys(meta)) if (meta[key] === null) delete meta[key];
}

function describe(value: unknown): string {
  if (value === undefined) return 'empty';
  return Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
}

function checkType(resource: ResourceInfo, body: MutableJson): void {
  const expected = apiVersionOf(resource);
  const { apiVersion, kind } = body;
  if (kind === undefined && !resource.builtIn) {
    throw badRequest(`Object 'Kind' is missing in the body: set kind: ${resource.kind}`);
  }
  if (apiVersion === undefined && !resource.builtIn) {
    throw badRequest(`the API version in the data () does not match the expected API version (${expected})`);
  }
  if (!resource.builtIn && typeof kind === 'string' && kind !== resource.kind && apiVersion === expected) {
    const name = isObject(body.metadata) ? textOf(body.metadata.name ?? '') : '';
    throw invalid(resource.group, kind, name, [fieldInvalid('kind', kind, `must be ${resource.kind}`)]);
  }
  if (kind !== undefined && kind !== resource.kind) {
    const version = typeof apiVersion === 'string' ? apiVersion : expected;
    throw badRequest(
      `${textOf(kind)} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: the kinds differ`,
    );
  }
  if (apiVersion !== undefined && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${textOf(apiVersion)}) does not match the expected API version (${expected})`,
    );
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextMap = (value: unknown): boolean => isObject(value) && Object.values(value).every(isText);
const isTextOrNone = (value: unknown): boolean => value === undefined || value === null || isText(value);
const isListOf = (test: (item: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(test);

function isOwner(value: unknown): boolean {
  return isObject(value) && [value.apiVersion, value.kind, value.name, value.uid].every(isTextOrNone);
}

const metadataTypes: Readonly<Record<string, readonly [string, (value: unknown) => boolean]>> = {
  name: ['string', isText],
  generateName: ['string', isText],
  namespace: ['string', isText],
  uid: ['string', isText],
  resourceVersion: ['string', isText],
  labels: ['map[string]string', isTextMap],
  annotations: ['map[string]string', isTextMap],
  finalizers: ['[]string', isListOf(isText)],
  ownerReferences: ['[]v1.OwnerReference', isListOf(isOwner)],
  managedFields: ['[]v1.ManagedFieldsEntry', isListOf(isObject)],
};

function checkMetadata(resource: ResourceInfo, metadata: unknown): asserts metadata is MutableJson {
  if (!isObject(metadata)) throw undecodable(resource, 'metadata', metadata, 'v1.ObjectMeta');
  for (const [field, [type, test]] of Object.entries(metadataTypes)) {
    const value = metadata[field];
    if (value === undefined || value === null || test(value)) continue;
    throw undecodable(resource, `metadata.${field}`, value, type);
  }
}

function undecodable(resource: ResourceInfo, field: string, value: unknown, type: string): Error {
  const given = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value;
  return badRequest(
    `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: ` +
      `json: cannot unmarshal ${given} into field ${field} of type ${type}`,
  );
}

/**
 * Removes unknown fields from the draft, and warns or refuses as `fieldValidation` says.
 * @throws ApiError BadRequest when strict
 */
export function dropUnknown(call: Call, draft: MutableJson, options: WriteOptions): void {
  const unknown = prune(call.resource, draft);
  if (options.fieldValidation === 'Ignore') return;
  report(call, options, [...duplicates(call), ...unknown.map((path) => `unknown field "${path}"`)]);
}

/** Warns of keys that came twice in the body, or refuses, as `fieldValidation` says. @throws ApiError BadRequest */
export function reportDuplicates(call: Call, options: WriteOptions): void {
  if (options.fieldValidation !== 'Ignore') report(call, options, duplicates(call));
}

function duplicates(call: Call): string[] {
  return (call.request.duplicates ?? []).map((path) => `duplicate field "${path}"`);
}

function report(call: Call, options: WriteOptions, findings: readonly string[]): void {
  if (findings.length === 0) return;
  if (options.fieldValidation === 'Warn') {
    for (const finding of findings) warn(call, finding);
    return;
  }
  const { kind, version } = call.resource;
  throw badRequest(
    call.request.method === 'PATCH'
      ? `error strict decoding patch: strict decoding error: ${findings.join(', ')}`
      : `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: strict decoding error: ${findings.join(', ')}`,
  );
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
