import type { DynamicObject, ListMeta } from '@coxswain/k8s';
import { ApiError, badRequest, expired, isExpired, notFound } from '@coxswain/runtime/core';
import type { StorageKey, StoragePage } from '../../storage/types.ts';
import { resourceVersionParameter } from '../request/query.ts';
import type { ApiResponse } from '../types.ts';
import { getComputed, listComputed } from './computed.ts';
import { type Call, keyOf } from './context.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from './continue-token.ts';
import { waitForRevision } from './freshness.ts';
import { type ListOptions, listOptions, type Selection, selectionOf } from './list-options.ts';
import { objectReply, projectorOf, reply } from './projection.ts';
import { prepareServed, served, servedForm } from './served.ts';
import { servedTexts, storedListReply, storedReply } from './stored-reply.ts';

/** GET of one object. */
export async function get(call: Call): Promise<ApiResponse> {
  const computed = call.resource.objects?.();
  if (computed) return getComputed(call, computed);
  const version = resourceVersionParameter(call.query, 500);
  if (version !== undefined) await waitForRevision(call, Number(version));
  return storedReply(call) ?? objectReply(call, await found(call));
}

/** {@link existing}, for kinds too whose form is made elsewhere. */
export async function found(call: Call): Promise<DynamicObject> {
  const object = call.server.storage.get(keyOf(call));
  if (!object) throw notFound(call.resource, call.name);
  const pending = prepareServed(call.resource, [object], true);
  if (pending) await pending;
  return served(call.resource, object);
}

/** The object a path names. @throws ApiError NotFound */
export function existing(call: Call): DynamicObject {
  const object = call.server.storage.get(keyOf(call));
  if (!object) throw notFound(call.resource, call.name);
  return served(call.resource, object);
}

export interface Listed {
  readonly objects: readonly DynamicObject[];
  readonly metadata: ListMeta;
  /** The texts of the objects, when they are stored as they are served: then nobody has to read the objects. */
  readonly texts?: readonly Buffer[];
}

/** GET of a collection. */
export async function list(call: Call): Promise<ApiResponse> {
  const computed = call.resource.objects?.();
  if (computed) return listComputed(call, computed);
  const projector = projectorOf(call);
  const listed = await listObjects(call, listOptions(call));
  return storedListReply(call, projector, listed) ?? reply(call, projector.list(listed.objects, listed.metadata));
}

/** One page. @throws ApiError as the list matrix says (`spec/embedded.md` §1.5) */
export async function listObjects(call: Call, options: ListOptions): Promise<Listed> {
  const selection = selectionOf(call);
  const version = resourceVersionParameter(call.query, 400);
  if (options.continue !== undefined) {
    if (version !== undefined && version !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    return nextPage(call, selection, options.limit, decodeContinue(options.continue, withinOf(call)));
  }
  if (version === undefined) return page(call, selection, { limit: options.limit });
  const revision = Number(version);
  await waitForRevision(call, revision);
  const exact = options.match === 'Exact' || (options.match === undefined && options.limit > 0 && revision > 0);
  // "Any version" answers come from memory on the real server, which does not page them.
  if (!exact) return page(call, selection, { limit: revision === 0 ? 0 : options.limit });
  try {
    return await page(call, selection, { limit: options.limit, revision });
  } catch (error) {
    if (!isExpired(error)) throw error;
    throw expired('The resourceVersion for the provided list is too old.');
  }
}

async function nextPage(call: Call, selection: Selection, limit: number, token: ContinueToken): Promise<Listed> {
  const { revision, after } = token;
  try {
    return await page(call, selection, { limit, after, ...(revision < 0 ? {} : { revision }) });
  } catch (error) {
    if (!isExpired(error) || !(error instanceof ApiError)) throw error;
    const message =
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.';
    const metadata = { continue: encodeContinue({ revision: -1, after }, withinOf(call)) };
    throw new ApiError({ ...error.status, message, metadata });
  }
}

/** What the keys of all objects of a list begin with. */
function withinOf({ resource, namespace }: Call): string {
  return resource.namespaced && namespace === '' ? '' : `${namespace}/`;
}

interface PageRequest {
  /** 0: no limit. */
  readonly limit: number;
  readonly after?: string;
  readonly revision?: number;
}

const keyText = ({ namespace, name }: StorageKey): string => `${namespace}/${name}`;

/** Fills a page with matching objects, reading on while the selectors leave room. */
async function page(call: Call, selection: Selection, request: PageRequest): Promise<Listed> {
  const { storage } = call.server;
  const { matches, namespace } = selection;
  const single = singleObject(call, selection, request);
  if (single) return single;
  const form = servedForm(call.resource);
  const objects: DynamicObject[] = [];
  let { after, revision } = request;
  for (;;) {
    const want = request.limit > 0 ? request.limit - objects.length : undefined;
    const part = storage.list(call.resource.storage, {
      ...(namespace === undefined ? {} : { namespace }),
      ...(after === undefined ? {} : { after }),
      ...(want === undefined ? {} : { limit: want }),
      ...(revision === undefined ? {} : { revision }),
    });
    revision = part.revision;
    const last = part.states.at(-1);
    if (last) after = keyText(last.key);
    const texts = matches ? undefined : servedTexts(call.resource, part.states);
    if (texts && (part.remaining === 0 || want !== undefined)) return wholePage(call, part, texts, after);
    const pending = prepareServed(call.resource, part.objects);
    if (pending) await pending;
    for (const object of part.objects) {
      const candidate = form(object);
      if (!matches || matches(candidate)) objects.push(candidate);
    }
    const full = request.limit > 0 && objects.length >= request.limit;
    if (part.remaining > 0 && !full) continue;
    const more = part.remaining > 0 && after !== undefined ? { after, remaining: part.remaining } : undefined;
    return { objects, metadata: listMetadata(call, revision, matches ? undefined : more?.remaining, more?.after) };
  }
}

/** A page as it is stored. */
function wholePage(call: Call, part: StoragePage, texts: readonly Buffer[], after: string | undefined): Listed {
  const more = part.remaining > 0 && after !== undefined ? { after, remaining: part.remaining } : undefined;
  return {
    texts,
    get objects() {
      return part.objects as readonly DynamicObject[];
    },
    metadata: listMetadata(call, part.revision, more?.remaining, more?.after),
  };
}

function listMetadata(
  call: Call,
  revision: number,
  remaining: number | undefined,
  after: string | undefined,
): ListMeta {
  return {
    resourceVersion: String(revision),
    ...(after === undefined ? {} : { continue: encodeContinue({ revision, after }, withinOf(call)) }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
}

/** A list narrowed to one name needs no scan. */
function singleObject(call: Call, selection: Selection, request: PageRequest): Promise<Listed> | undefined {
  const { name, namespace, matches } = selection;
  if (name === undefined || request.revision !== undefined || request.after !== undefined) return undefined;
  if (call.resource.namespaced && namespace === undefined) return undefined;
  return listOne(call, { resource: call.resource.storage, namespace: namespace ?? '', name }, matches);
}

async function listOne(call: Call, key: StorageKey, matches: Selection['matches']): Promise<Listed> {
  const { storage } = call.server;
  const present = storage.get(key);
  const metadata = { resourceVersion: String(storage.revision) };
  if (!present) return { objects: [], metadata };
  const pending = prepareServed(call.resource, [present]);
  if (pending) await pending;
  const object = served(call.resource, present);
  return { objects: !matches || matches(object) ? [object] : [], metadata };
}
