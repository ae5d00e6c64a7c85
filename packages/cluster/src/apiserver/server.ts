import {
  ApiError,
  apiError,
  badRequest,
  type Clock,
  forbidden,
  type Logger,
  notFound,
  type Random,
} from '@coxswain/runtime/core';
import type { Storage } from '../storage/types.ts';
import { impersonate } from './authentication/index.ts';
import { type Authorizer, alwaysAllow, attributesOf, masters, notPermitted } from './authorization/index.ts';
import { checkValue } from './request/check-value.ts';
import { parseResourcePath, type ResourcePath } from './request/path.ts';
import { booleanParameter, checkTimeout } from './request/query.ts';
import { type Verb, verbOf } from './request/verb.ts';
import { callConnect } from './rest/connect.ts';
import type { Call, ServerContext } from './rest/context.ts';
import { keyOf, warn } from './rest/context.ts';
import { create } from './rest/create.ts';
import { remove } from './rest/delete.ts';
import { removeCollection } from './rest/delete-collection.ts';
import { Expiry } from './rest/expiry.ts';
import { patch } from './rest/patch.ts';
import { postToSubresource } from './rest/posted-to.ts';
import { get, list } from './rest/read.ts';
import { scale } from './rest/scale.ts';
import { callHandler } from './rest/subresource.ts';
import { update } from './rest/update.ts';
import { watch } from './rest/watch.ts';
import { WatchHub } from './rest/watch-hub.ts';
import type {
  AdmissionPlugin,
  ApiRequest,
  ApiResponse,
  ApiServer,
  ConnectHandler,
  NonResourceRoute,
  Registry,
  ResourceInfo,
  SubresourceForm,
  SubresourceHandler,
  ToTable,
} from './types.ts';

/** What an API server is made of. The lists may grow after the server was made. */
export interface ApiServerOptions {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Asked before anything is done; default everybody may do everything. */
  readonly authorizer?: Authorizer;
  /** In the order of the chain; default none. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Discovery, OpenAPI, health …, asked in order before resource paths are; default none. */
  readonly routes?: readonly NonResourceRoute[];
  /** Default none. */
  readonly subresources?: readonly SubresourceHandler[];
  /** Default none. */
  readonly connects?: readonly ConnectHandler[];
  /** Default none. */
  readonly forms?: readonly SubresourceForm[];
  /** Absent: tables are refused with 406. */
  readonly toTable?: ToTable;
}

/** The REST side of a Kubernetes API server over a store: paths to verbs, failures to Status answers. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { routes = [], log, authorizer = alwaysAllow } = options;
  const server: ServerContext = {
    storage: options.storage,
    registry: options.registry,
    clock: options.clock,
    random: options.random,
    log,
    admission: options.admission ?? [],
    subresources: options.subresources ?? [],
    connects: options.connects ?? [],
    forms: options.forms ?? [],
    toTable: options.toTable,
    watches: new WatchHub(options.clock),
  };
  const expiry = new Expiry(server);
  options.registry.onRemove((resource) => server.watches.endOf(resource));
  return {
    registry: options.registry,
    storage: options.storage,
    async handle(asked) {
      const warnings: string[] = [...(asked.warnings ?? [])];
      let request = asked;
      try {
        request = permitted(authorizer, asked);
        checkValue(request.body);
        const route = routes.find((candidate) => candidate.match(request.path));
        return await (route ? route.handle(request) : handleResource(server, authorizer, request, warnings));
      } catch (error) {
        return failure(log, request, error, warnings);
      }
    },
    serves(request) {
      try {
        permitted(authorizer, request);
        return routes.some(({ match }) => match(request.path)) || isReached(options.registry, request);
      } catch (error) {
        if (error instanceof ApiError) return false;
        throw error;
      }
    },
    close() {
      expiry.close();
      server.watches.close();
    },
  };
}

/**
 * The request, as the user it is to be done as.
 * @throws ApiError Forbidden when that user may not do it, or the one who asks may not act as that user
 */
function permitted(authorizer: Authorizer, request: ApiRequest): ApiRequest {
  const { user, impersonate: wanted } = request;
  if (authorizer === alwaysAllow && !wanted) return request;
  if (!wanted && user.groups.includes(masters)) return request;
  const attributes = attributesOf(request);
  const acting = wanted ? impersonate(authorizer, user, wanted, attributes) : user;
  const decision = authorizer.authorize(acting, attributes);
  if (!decision.allowed) throw notPermitted(acting, attributes, decision.reason);
  return acting === user ? request : { ...request, user: acting };
}

function internalError(error: unknown): ApiError {
  const message = error instanceof Error ? error.message : String(error);
  return apiError(500, 'InternalError', `Internal error occurred: ${message}`);
}

/** Failures that are the client's doing, told as such. */
function asAnswer(request: ApiRequest, error: unknown): unknown {
  if (error instanceof ApiError) return error;
  if (request.signal?.aborted) return apiError(504, 'Timeout', 'the client gave the request up before it was answered');
  // Only a patch that nests what it makes thousands of levels deep exhausts the stack.
  if (error instanceof RangeError && request.body !== undefined) return badRequest('exceeded max depth');
  return error;
}

function failure(log: Logger, request: ApiRequest, caught: unknown, warnings: readonly string[]): ApiResponse {
  const error = asAnswer(request, caught);
  if (!(error instanceof ApiError)) {
    log.error({ err: error, method: request.method, path: request.path }, 'a request failed unexpectedly');
  }
  const { status } = error instanceof ApiError ? error : internalError(error);
  return { kind: 'object', code: status.code, body: status, ...(warnings.length > 0 ? { warnings } : {}) };
}

const notServed = () => apiError(404, 'NotFound', 'the server could not find the requested resource', {});
const noPage: ApiResponse = { kind: 'text', code: 404, body: '404 page not found\n' };
const notAllowed = () =>
  apiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/**
 * A write to a name that is not there yet creates, which has to be allowed too.
 * @throws ApiError Forbidden
 */
function checkCreation(authorizer: Authorizer, call: Call): void {
  const { request, resource, subresource, server } = call;
  const { user, method, contentType } = request;
  if (subresource !== '' || user.groups.includes(masters)) return;
  const applied = method === 'PATCH' && contentType?.startsWith('application/apply-patch+yaml') === true;
  if (!applied && !(method === 'PUT' && resource.strategy.createOnUpdate)) return;
  if (server.storage.get(keyOf(call))) return;
  const asked = { ...attributesOf(request), verb: 'create' };
  const { allowed, reason } = authorizer.authorize(user, asked);
  if (!allowed) throw notPermitted(user, asked, reason);
}

/** @throws ApiError Forbidden when the user may not do another verb than that of the request */
function checkVerb(authorizer: Authorizer, { request, resource, name }: Call, verb: string): void {
  const asked = attributesOf(request);
  if (asked.verb === verb || request.user.groups.includes(masters)) return;
  const { allowed, reason } = authorizer.authorize(request.user, { ...asked, verb });
  if (!allowed) throw forbidden(resource, name, reason);
}

async function handleResource(
  server: ServerContext,
  authorizer: Authorizer,
  request: ApiRequest,
  warnings: string[],
): Promise<ApiResponse> {
  const { path, resource } = lookUp(server.registry, request);
  if (!path || !resource) {
    if (servesGroup(server.registry, request.path)) throw notServed();
    return noPage;
  }
  if (!isInScope(path, resource)) {
    if (resource.builtIn) throw notServed();
    return noPage;
  }
  const query = request.query ?? {};
  checkTimeout(query);
  const call: Call = {
    server,
    request,
    path,
    resource,
    namespace: path.namespace,
    name: path.name,
    subresource: path.subresource,
    query,
    warnings,
  };
  checkCreation(authorizer, call);
  return path.subresource === '' ? dispatch(call) : dispatchSubresource(call, authorizer);
}

interface Found {
  readonly path: ResourcePath | undefined;
  readonly resource: ResourceInfo | undefined;
}

function lookUp(registry: Registry, request: ApiRequest): Found {
  const path = parseResourcePath(request.path);
  return { path, resource: path && registry.find(path.group, path.version, path.plural) };
}

/** Whether a request leads to a resource, and to a verb of it. */
function isReached(registry: Registry, request: ApiRequest): boolean {
  const { path, resource } = lookUp(registry, request);
  if (!path || !resource || !isInScope(path, resource)) return false;
  return path.subresource !== '' || verbAsked(request, path, resource) !== undefined;
}

/** Below a group of the server's own, what is missing is a resource; elsewhere it is a page. */
function servesGroup(registry: Registry, path: string): boolean {
  const [, root, group] = path.split('/');
  if (root === 'api') return group !== undefined;
  return root === 'apis' && registry.all().some((one) => one.builtIn && one.group === group && group !== '');
}

function isInScope({ namespace, name }: ResourcePath, { namespaced }: ResourceInfo): boolean {
  return namespaced ? namespace !== '' || name === '' : namespace === '';
}

const verbs: Readonly<Record<Verb, (call: Call) => Promise<ApiResponse>>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** What is to be done with a resource itself; `undefined` when it has no such verb. */
function verbAsked({ method, query = {} }: ApiRequest, path: ResourcePath, resource: ResourceInfo): Verb | undefined {
  // `watch=true` on one object is a plain read, as on the real server.
  const asked = path.name === '' && booleanParameter(query, 'watch') === true;
  const watching = path.watch || (method === 'GET' && asked);
  const verb = verbOf(method, path.name !== '', watching);
  if (!verb || !resource.verbs.includes(verb) || (path.watch && method !== 'GET')) return undefined;
  const whole = path.name === '' && resource.namespaced && path.namespace === '';
  if (whole && verb !== 'list' && verb !== 'watch') return undefined;
  return verb === 'create' && path.name !== '' ? undefined : verb;
}

function dispatch(call: Call): Promise<ApiResponse> {
  const { request, path, resource } = call;
  const verb = verbAsked(request, path, resource);
  if (!verb) throw notAllowed();
  // Once the verb is checked: what is refused is not warned about.
  if (resource.deprecated) warn(call, resource.deprecated);
  if (verb === 'create' && resource.postsTo) return postToSubresource(call, resource.postsTo);
  return verbs[verb](call);
}

function dispatchSubresource(call: Call, authorizer: Authorizer): Promise<ApiResponse> {
  const { request, resource, subresource, server } = call;
  // No built-in kind that is deprecated has any.
  if (resource.deprecated && !resource.builtIn) warn(call, resource.deprecated);
  const { method } = request;
  if (subresource === 'status' && resource.status) {
    if (method === 'GET') return get(call);
    if (method === 'PUT') return update(call);
    if (method === 'PATCH') return patch(call);
    throw notAllowed();
  }
  if (subresource === 'scale' && resource.scale) {
    if (method === 'GET' || method === 'PUT' || method === 'PATCH') return scale(call);
    throw notAllowed();
  }
  const form = server.forms.find((entry) => entry.resource === resource.storage && entry.name === subresource);
  if (form) {
    const verb = verbOf(method, true, false);
    if (!verb || !form.verbs.includes(verb)) throw notAllowed();
    return verbs[verb]({ ...call, form });
  }
  const connect = server.connects.find((entry) => entry.resource === resource.storage && entry.name === subresource);
  if (call.path.rest !== '' && !connect?.subpaths) throw notServed();
  if (connect) {
    if (!connect.methods.includes(request.raw?.method ?? method)) throw notAllowed();
    return callConnect(call, connect, (verb) => checkVerb(authorizer, call, verb));
  }
  const handler = server.subresources.find(
    (entry) => entry.resource === resource.storage && entry.name === subresource,
  );
  if (!handler) throw resource.builtIn ? notServed() : notFound(resource, call.name);
  const verb = verbOf(method, true, false);
  if (!verb || !handler.verbs.includes(verb)) throw notAllowed();
  return callHandler(call, handler);
}
