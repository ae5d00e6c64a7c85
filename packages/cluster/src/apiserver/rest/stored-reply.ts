import type { DynamicObject, ListMeta } from '@coxswain/k8s';
import { deepFreeze } from '@coxswain/runtime/core';
import type { StoredObject } from '../../storage/types.ts';
import { listText, textBeginning } from '../list-text.ts';
import { negotiateProjection } from '../request/accept.ts';
import type { ApiResponse, ResourceInfo } from '../types.ts';
import { apiVersionOf, type Call, keyOf } from './context.ts';
import type { Projector } from './projection.ts';

const beginnings = new WeakMap<ResourceInfo, Buffer>();

/** How the text of an object begins that is stored in the version of the resource. */
function beginningOf(resource: ResourceInfo): Buffer {
  let bytes = beginnings.get(resource);
  if (!bytes) {
    bytes = textBeginning(apiVersionOf(resource), resource.kind);
    beginnings.set(resource, bytes);
  }
  return bytes;
}

/** Whether a stored text is what the resource serves, as it is. */
function isServedText(resource: ResourceInfo, json: Buffer): boolean {
  if (resource.conversion) return false;
  const beginning = beginningOf(resource);
  return json.compare(beginning, 0, beginning.length, 0, beginning.length) === 0;
}

/** GET of an object that is wanted as it is stored: nobody has to read it. `undefined`: it is missing, or wanted otherwise. */
export function storedReply(call: Call): ApiResponse | undefined {
  const { resource, server, request, warnings } = call;
  if (negotiateProjection(request.accept, server.toTable !== undefined) !== 'Object') return undefined;
  const state = server.storage.find(keyOf(call));
  if (!state || !isServedText(resource, state.json)) return undefined;
  return {
    kind: 'object',
    code: 200,
    json: () => [state.json],
    get body() {
      return state.object;
    },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

/** The texts of stored objects, when the resource serves them all as they are. */
export function servedTexts(resource: ResourceInfo, states: readonly StoredObject[]): readonly Buffer[] | undefined {
  if (resource.conversion) return undefined;
  const texts: Buffer[] = [];
  for (const { json } of states) {
    if (!isServedText(resource, json)) return undefined;
    texts.push(json);
  }
  return texts;
}

/** How the text of an empty list ends. */
const emptyEnd = ']}';

/** A list that is wanted as it is stored. `undefined`: it is wanted otherwise. */
export function storedListReply(
  call: Call,
  projector: Projector,
  listed: {
    readonly objects: readonly DynamicObject[];
    readonly metadata: ListMeta;
    readonly texts?: readonly Buffer[];
  },
): ApiResponse | undefined {
  const { resource, warnings } = call;
  const { texts, metadata } = listed;
  if (projector.form !== 'Object' || !texts) return undefined;
  let body: unknown;
  return {
    kind: 'object',
    code: 200,
    json() {
      const head = JSON.stringify(projector.list([], metadata)).slice(0, -emptyEnd.length);
      return listText(head, texts, resource.builtIn ? beginningOf(resource) : undefined);
    },
    get body() {
      body ??= deepFreeze(projector.list(listed.objects, metadata));
      return body;
    },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
