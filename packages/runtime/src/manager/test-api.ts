// A small API server behind a transport, for the tests of these rooms: objects, versions, generations, watches,
// finalizers, merge and JSON patches, and enough of apply. Not exported; the real one is another package.
import type { KubeObject } from '@coxswain/k8s';
import { createClient, listEnd, type Transport, type TransportRequest, type WatchEvent } from '../client/index.ts';
import {
  alreadyExists,
  apiError,
  type Clock,
  cloneJson,
  conflict,
  deepEqual,
  deepFreeze,
  notFound,
} from '../core/index.ts';
import { stampManagedFields } from './test-managed-fields.ts';

type Fields = Record<string, unknown>;
interface Stored extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}
interface Place {
  readonly plural: string;
  readonly group: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}
interface Change {
  readonly version: number;
  readonly place: Place;
  readonly event: WatchEvent;
}

export class TestApi implements Transport {
  readonly clock: Clock;
  /** `METHOD path` of each write, in order. */
  readonly writes: string[] = [];
  /** Whether applied objects say who applied what. */
  keepManagedFields = false;
  /** Called before each request is served; may wait or throw. */
  intercept: (request: TransportRequest) => void | Promise<void> = () => {};
  readonly #objects = new Map<string, Stored>();
  readonly #applied = new Map<string, Fields>();
  readonly #changes: Change[] = [];
  readonly #wakers = new Set<() => void>();
  #version = 0;
  #uids = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  client() {
    return createClient({ transport: this, clock: this.clock });
  }

  /** The object at a path such as `/api/v1/namespaces/default/pods/web`. */
  at<T extends KubeObject>(path: string): T | undefined {
    return this.#objects.get(idOf(placeOf(path))) as T | undefined;
  }

  async send(request: TransportRequest) {
    await this.intercept(request);
    request.signal?.throwIfAborted();
    const body = this.#serve(request);
    return { status: 200, body, warnings: [] };
  }

  async watch(request: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>> {
    await this.intercept(request);
    return this.#stream(placeOf(request.path), request.query ?? {}, request.signal);
  }

  async close(): Promise<void> {}

  #serve(request: TransportRequest): unknown {
    const place = placeOf(request.path);
    if (request.method !== 'GET') this.writes.push(`${request.method} ${request.path}`);
    if (request.method === 'GET') return place.name === undefined ? this.#list(place) : this.#get(place);
    if (request.method === 'POST') return this.#create(place, request.body as Stored);
    if (request.method === 'DELETE') return this.#delete(place, request.body as Fields);
    if (request.method === 'PUT') return this.#update(place, request.body as Stored);
    return this.#patch(place, request);
  }

  #list(place: Place): unknown {
    const items = [...this.#objects.entries()].filter(([id]) => within(id, place)).map(([, object]) => object);
    return { metadata: { resourceVersion: String(this.#version) }, items };
  }

  #get(place: Place): Stored {
    const object = this.#objects.get(idOf(place));
    if (!object) throw notFound(place, place.name ?? '');
    return object;
  }

  #create(place: Place, body: Stored): Stored {
    const at = { ...place, name: body.metadata.name };
    if (this.#objects.has(idOf(at))) throw alreadyExists(place, body.metadata.name);
    const metadata = {
      ...body.metadata,
      uid: `uid-${++this.#uids}`,
      ...(body.spec === undefined ? {} : { generation: 1 }),
      creationTimestamp: new Date(this.clock.now()).toISOString(),
    };
    return this.#store(at, { ...body, metadata }, 'ADDED');
  }

  #update(place: Place, body: Stored): Stored {
    const old = this.#get(place);
    const { resourceVersion } = body.metadata;
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
      throw conflict(place, place.name ?? '', 'the object has been modified; please apply your changes');
    }
    const next =
      place.subresource === 'status'
        ? { ...old, status: body.status }
        : { ...body, ...(old.status === undefined ? {} : { status: old.status }) };
    const { uid, creationTimestamp, deletionTimestamp, generation = 1 } = old.metadata;
    const { resourceVersion: _version, ...given } = place.subresource === 'status' ? old.metadata : body.metadata;
    const metadata = {
      ...given,
      uid,
      creationTimestamp,
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
      ...(old.spec === undefined ? {} : { generation: specOf(next) === specOf(old) ? generation : generation + 1 }),
    };
    const { resourceVersion: _old, ...before } = old.metadata;
    if (deepEqual({ ...next, metadata }, { ...old, metadata: before })) return old;
    const ended = deletionTimestamp && !(metadata.finalizers as readonly string[] | undefined)?.length;
    return this.#store(place, { ...next, metadata } as Stored, ended ? 'DELETED' : 'MODIFIED');
  }

  #patch(place: Place, { contentType = '', body, query = {} }: TransportRequest): Stored {
    const old = this.#objects.get(idOf(place));
    if (contentType.includes('apply')) {
      const wanted = cloneJson(body) as Fields;
      const id = `${idOf(place)} ${query.fieldManager}`;
      const before = this.#applied.get(id) ?? {};
      this.#applied.set(id, wanted);
      if (this.keepManagedFields) stampManagedFields(wanted, query.fieldManager ?? '');
      if (!old) return this.#create(place, wanted as unknown as Stored);
      return this.#update(place, merged(pruned(cloneJson(old) as unknown as Fields, before, wanted), wanted) as never);
    }
    if (!old) throw notFound(place, place.name ?? '');
    const target = cloneJson(old) as unknown as Fields;
    const { resourceVersion: _version, ...metadata } = target.metadata as Fields;
    if (contentType.includes('json-patch')) {
      return this.#update(place, jsonPatched(target, body as Operation[]) as never);
    }
    return this.#update(place, merged({ ...target, metadata }, body as Fields, true) as never);
  }

  #delete(place: Place, body: Fields): unknown {
    const old = this.#get(place);
    const wanted = body?.preconditions as { uid?: string; resourceVersion?: string } | undefined;
    for (const field of ['uid', 'resourceVersion'] as const) {
      if (wanted?.[field] && wanted[field] !== old.metadata[field])
        throw conflict(place, place.name ?? '', `the ${field} does not match`);
    }
    if (!old.metadata.finalizers?.length) {
      this.#store(place, old, 'DELETED');
      return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };
    }
    if (old.metadata.deletionTimestamp) return old;
    const metadata = { ...old.metadata, deletionTimestamp: new Date(this.clock.now()).toISOString() };
    return this.#store(place, { ...old, metadata }, 'MODIFIED');
  }

  #store(place: Place, object: Stored, type: 'ADDED' | 'MODIFIED' | 'DELETED'): Stored {
    const version = ++this.#version;
    const stored = deepFreeze(
      cloneJson({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } }),
    );
    if (type === 'DELETED') this.#objects.delete(idOf(place));
    else this.#objects.set(idOf(place), stored);
    this.#changes.push({ version, place, event: { type, object: stored } });
    for (const wake of this.#wakers) wake();
    return stored;
  }

  async *#stream(place: Place, query: Readonly<Record<string, string>>, signal: AbortSignal | undefined) {
    let at = Number(query.resourceVersion ?? '0');
    if (query.sendInitialEvents === 'true') {
      at = this.#version;
      const objects = [...this.#objects.entries()].filter(([id]) => within(id, place));
      const present = objects.map(([, object]) => ({ type: 'ADDED', object }) as const);
      yield [...present, listEnd(String(at))];
    }
    while (!signal?.aborted) {
      const news = this.#changes.filter((change) => change.version > at && within(idOf(change.place), place));
      at = this.#version;
      if (news.length > 0) yield news.map(({ event }) => event);
      else await this.#changed(signal);
    }
  }

  #changed(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#wakers.delete(wake);
        resolve();
      };
      this.#wakers.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }
}

const specOf = ({ spec }: { readonly spec?: unknown }): string => JSON.stringify(spec ?? null);

function placeOf(path: string): Place {
  const parts = path.split('/').slice(1);
  const group = parts[0] === 'api' ? '' : (parts[1] ?? '');
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const namespace = rest[0] === 'namespaces' && rest.length > 2 ? rest[1] : undefined;
  const [plural = '', name, subresource] = namespace === undefined ? rest : rest.slice(2);
  return {
    group,
    plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

const idOf = ({ group, plural, namespace = '', name = '' }: Place): string => `${group}|${plural}|${namespace}|${name}`;

function within(id: string, { group, plural, namespace, name }: Place): boolean {
  const [g, p, ns, n] = id.split('|');
  return g === group && p === plural && (!namespace || ns === namespace) && (!name || n === name);
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function merged(target: Fields, patch: Fields, nullRemoves = false): Fields {
  const result = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    const old = result[name];
    if (value === null && nullRemoves) delete result[name];
    else result[name] = isFields(value) ? merged(isFields(old) ? old : {}, value, nullRemoves) : value;
  }
  return result;
}

/** Takes out what the manager applied before and does not say any more. */
function pruned(target: Fields, before: Fields, wanted: Fields): Fields {
  const result = { ...target };
  for (const [name, value] of Object.entries(before)) {
    const [old, now] = [result[name], wanted[name]];
    if (isFields(value) && isFields(old)) result[name] = pruned(old, value, isFields(now) ? now : {});
    else if (now === undefined) delete result[name];
  }
  return result;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

function jsonPatched(target: Fields, operations: readonly Operation[]): Fields {
  for (const { op, path, value } of operations) {
    const names = path.split('/').slice(1);
    const last = names.pop() ?? '';
    let at: unknown = target;
    for (const name of names) at = (at as Fields | undefined)?.[name];
    const failed = () => apiError(422, 'Invalid', `the server rejected our request: ${op} ${path}`);
    if (at === undefined) throw failed();
    if (op === 'test' && !deepEqual((at as Fields)[last], value)) throw failed();
    if (op === 'add' && Array.isArray(at)) at.splice(last === '-' ? at.length : Number(last), 0, value);
    else if (op === 'add') (at as Fields)[last] = value;
    if (op === 'remove' && Array.isArray(at)) at.splice(Number(last), 1);
  }
  return target;
}
