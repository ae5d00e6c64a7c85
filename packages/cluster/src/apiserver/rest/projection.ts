import type { DynamicObject, ListMeta } from '@coxswain/k8s';
import { deepFreeze } from '@coxswain/runtime/core';
import { itemKind } from '../item-kind.ts';
import { negotiateProjection, type Projection } from '../request/accept.ts';
import type { ApiResponse, ResourceInfo, ToTable } from '../types.ts';
import { isObject } from './clone.ts';
import { apiVersionOf, type Call } from './context.ts';

/** Turns objects into the form a client asked for. The results are frozen; equal inputs share them where that is cheap. */
export interface Projector {
  readonly form: Projection;
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

function metadataOnly(): Projector {
  const apiVersion = 'meta.k8s.io/v1';
  return {
    form: 'PartialObjectMetadata',
    object: partial,
    list: (objects, metadata) => ({
      kind: 'PartialObjectMetadataList',
      apiVersion,
      metadata,
      items: objects.map(partial),
    }),
    bookmark: (metadata) => deepFreeze({ kind: 'PartialObjectMetadata', apiVersion, metadata }),
  };
}

function tables(call: Call, toTable: ToTable): Projector {
  const { resource, server, query } = call;
  const includeObject = query.includeObject;
  const table = (objects: readonly DynamicObject[], metadata: object): unknown =>
    toTable(resource, objects, {
      ...(includeObject ? { includeObject } : {}),
      metadata: metadata as Record<string, unknown>,
      now: server.clock.now(),
    });
  return {
    form: 'Table',
    object: (object) => table([object], { resourceVersion: object.metadata.resourceVersion }),
    list: table,
    bookmark(metadata) {
      const row = { cells: [], object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } };
      const empty = table([], {});
      return deepFreeze({ ...(isObject(empty) ? empty : {}), rows: [row] });
    },
  };
}

/** The projector for the `Accept` header of a request. @throws ApiError NotAcceptable */
export function projectorOf(call: Call): Projector {
  const { toTable } = call.server;
  const form = negotiateProjection(call.request.accept, toTable !== undefined);
  if (form === 'Table' && toTable) return tables(call, toTable);
  return form === 'PartialObjectMetadata' ? metadataOnly() : wholeObjects(call.resource);
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
