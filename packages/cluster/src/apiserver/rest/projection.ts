import type { DynamicObject, ListMeta } from '@coxswain/k8s';
import { apiError, deepFreeze } from '@coxswain/runtime/core';
import { itemKind } from '../item-kind.ts';
import { type Form, negotiateForm, type Projection } from '../request/accept.ts';
import type { ApiResponse, ResourceInfo, ToTable } from '../types.ts';
import { isObject } from './clone.ts';
import { apiVersionOf, type Call } from './context.ts';

/** Turns objects into the form a client asked for. The results are frozen; equal inputs share them where that is cheap. */
export interface Projector {
  readonly form: Projection;
  /** Absent: the newest version of the form, as nearly all ask for it. */
  readonly old?: true;
  object(object: DynamicObject): unknown;
  list(objects: readonly DynamicObject[], metadata: ListMeta): unknown;
  bookmark(metadata: object): unknown;
}

const partials = new WeakMap<object, unknown>();

/** The `PartialObjectMetadata` of an object: one shared value per object. */
function partial(object: DynamicObject): unknown {
  let value = partials.get(object);
  if (!value) {
    value = deepFreeze({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata });
    partials.set(object, value);
  }
  return value;
}

function wholeObjects(resource: ResourceInfo): Projector {
  const apiVersion = apiVersionOf(resource);
  const listKind = resource.listKind ?? `${resource.kind}List`;
  return {
    form: 'Object',
    object: (object) => object,
    // Lists of custom kinds always say where they go on, if only nowhere.
    list: (items, metadata) =>
      resource.builtIn
        ? { kind: listKind, apiVersion, metadata, items, [itemKind]: resource.kind }
        : { kind: listKind, apiVersion, metadata: { continue: '', ...metadata }, items },
    bookmark: (metadata) => deepFreeze({ kind: resource.kind, apiVersion, metadata }),
  };
}

function metadataOnly(version: Form['version']): Projector {
  const apiVersion = `meta.k8s.io/${version}`;
  const part =
    version === 'v1'
      ? partial
      : ({ metadata }: DynamicObject) => deepFreeze({ kind: 'PartialObjectMetadata', apiVersion, metadata });
  return {
    form: 'PartialObjectMetadata',
    ...(version === 'v1' ? {} : { old: true }),
    object: part,
    list: (objects, metadata) => ({
      kind: 'PartialObjectMetadataList',
      apiVersion,
      metadata,
      // the only list that is null when there is nothing in it
      items: objects.length === 0 ? null : objects.map(part),
    }),
    bookmark: (metadata) => deepFreeze({ kind: 'PartialObjectMetadata', apiVersion, metadata }),
  };
}

const includes = ['Metadata', 'Object', 'None', ''];

function tables(call: Call, toTable: ToTable, version: Form['version']): Projector {
  const { resource, server, query } = call;
  const includeObject = query.includeObject;
  if (!includes.includes(includeObject ?? '')) {
    const why = "must be 'Metadata', 'Object', 'None', or empty";
    const text = `includeObject: Invalid value: ${JSON.stringify(includeObject)}: ${why}`;
    throw apiError(400, 'BadRequest', `Unable to convert to Table as requested: ${text}`);
  }
  const table = (objects: readonly DynamicObject[], metadata: object): unknown =>
    toTable(resource, objects, {
      ...(includeObject ? { includeObject } : {}),
      metadata: metadata as Record<string, unknown>,
      now: server.clock.now(),
      version,
    });
  return {
    form: 'Table',
    ...(version === 'v1' ? {} : { old: true }),
    object: (object) => table([object], { resourceVersion: object.metadata.resourceVersion }),
    list: table,
    bookmark(metadata) {
      const row = {
        cells: [],
        object: { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata },
      };
      const empty = table([], {});
      return deepFreeze({ ...(isObject(empty) ? empty : {}), rows: [row] });
    },
  };
}

/** The projector for the `Accept` header of a request. @throws ApiError NotAcceptable */
export function projectorOf(call: Call): Projector {
  // Answers to questions are no objects that could be listed.
  const toTable = call.resource.answer ? undefined : call.server.toTable;
  const { projection, version } = negotiateForm(call.request.accept, toTable !== undefined);
  if (projection === 'Table' && toTable) return tables(call, toTable, version);
  return projection === 'PartialObjectMetadata' ? metadataOnly(version) : wholeObjects(call.resource);
}

/** An answer with one object in the form asked for. */
export function objectReply(call: Call, object: DynamicObject, code = 200): ApiResponse {
  return reply(call, projectorOf(call).object(object), code);
}

/** An answer with any body, and the warnings collected so far. */
export function reply(call: Call, body: unknown, code = 200): ApiResponse {
  return {
    kind: 'object',
    code,
    body: deepFreeze(body),
    ...(call.warnings.length > 0 ? { warnings: call.warnings } : {}),
  };
}
