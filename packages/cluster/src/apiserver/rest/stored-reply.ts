import { negotiateProjection } from '../request/accept.ts';
import type { ApiResponse, ResourceInfo } from '../types.ts';
import { apiVersionOf, type Call, keyOf } from './context.ts';

const beginnings = new WeakMap<ResourceInfo, Buffer>();

/** How the text of an object begins that is stored in the version of the resource. */
export function beginningOf(resource: ResourceInfo): Buffer {
  let bytes = beginnings.get(resource);
  if (!bytes) {
    const { kind } = resource;
    bytes = Buffer.from(`${JSON.stringify({ apiVersion: apiVersionOf(resource), kind }).slice(0, -1)},`);
    beginnings.set(resource, bytes);
  }
  return bytes;
}

/** Whether a stored text is what the resource serves, as it is. */
export function isServedText(resource: ResourceInfo, json: Buffer): boolean {
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
    json: () => state.json,
    get body() {
      return state.object;
    },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
