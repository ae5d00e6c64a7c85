import type { DynamicObject, KubeList, KubeObject } from '@coxswain/k8s';
import {
  type ApiError,
  alreadyExists,
  apiError,
  conflict,
  expired,
  matchesLabels,
  notFound,
  parseSelector,
} from '../core/index.ts';
import { ConnectionError } from './errors.ts';
import { listEnd } from './list-end.ts';
import type { Transport, TransportRequest, TransportResponse, WatchEvent } from './transport.ts';

interface LogEntry {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: DynamicObject;
}

interface FakeWatch {
  readonly selects: (object: KubeObject) => boolean;
  /** Entries of the log that were sent. */
  sent: number;
  readonly deliver: (events: readonly WatchEvent[]) => void;
  readonly end: (error?: unknown) => void;
}

/**
 * A small API server in memory, for the tests of the client and the cache: one history of versions for all kinds, watches
 * whose delivery the test holds back, drops and breaks. Namespaced kinds only, equal paths to the real ones.
 */
export class FakeServer implements Transport {
  readonly requests: TransportRequest[] = [];
  /** Deliver watch events at once; else when `deliver` is called. */
  autoDeliver = true;
  /** Refuse `sendInitialEvents`, as old servers do. */
  refuseStreaming = false;
  /** Asked before each request; an error it answers is what the client gets. */
  fail: (request: TransportRequest, watch: boolean) => unknown = () => undefined;
  /** See {@link handOnLists}. */
  list?: NonNullable<Transport['list']>;
  #version = 100;
  #oldest = 100;
  #uid = 0;
  readonly #objects = new Map<string, DynamicObject>();
  readonly #log: LogEntry[] = [];
  readonly #watches = new Set<FakeWatch>();

  get version(): string {
    return String(this.#version);
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  all(): readonly DynamicObject[] {
    return [...this.#objects.values()];
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    this.requests.push(request);
    return this.#answer(() => {
      const failure = this.fail(request, false);
      if (failure) throw failure;
      return { status: 200, body: this.#handle(request), warnings: [] };
    });
  }

  watch(request: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>> {
    this.requests.push(request);
    return this.#answer(() => {
      const failure = this.fail(request, true);
      if (failure) throw failure;
      return this.#open(request);
    });
  }

  /** Lists can be had while they arrive. @param breaks how many of the first of them break off before their end */
  handOnLists(breaks = 0): void {
    let left = breaks;
    this.list = async (request) => {
      const { items, metadata } = (await this.send(request)).body as KubeList<DynamicObject>;
      const broken = left-- > 0;
      const { resourceVersion = '' } = metadata;
      return (async function* (): AsyncIterable<readonly WatchEvent[]> {
        for (const object of items) yield [{ type: 'ADDED', object }];
        if (broken) throw new ConnectionError('the list broke off before its end');
        yield [listEnd(resourceVersion)];
      })();
    };
  }

  async close(): Promise<void> {
    this.breakWatches(new Error('closed'));
  }

  /** Sends each watch its next `count` events; default all. */
  deliver(count = Number.POSITIVE_INFINITY): void {
    for (const watch of this.#watches) this.#deliverTo(watch, count);
  }

  bookmark(): void {
    this.deliver();
    for (const watch of this.#watches) watch.deliver([this.#bookmark()]);
  }

  /** An event of any content to all watches. */
  inject(event: WatchEvent): void {
    for (const watch of this.#watches) watch.deliver([event]);
  }

  /** Ends all watches: with an error as a broken connection, without as the server does when their time is up. */
  breakWatches(error?: unknown): void {
    for (const watch of [...this.#watches]) watch.end(error);
  }

  /** Forgets the history: watches can start from now only. */
  compact(): void {
    this.#oldest = this.#version;
  }

  /** Forgets everything and begins with lower versions, as a server that was restarted empty does. */
  restartEmpty(version = 1): void {
    this.#objects.clear();
    this.#log.length = 0;
    this.#version = version;
    this.#oldest = version;
  }

  async #answer<R>(work: () => R): Promise<R> {
    return work();
  }

  #handle(request: TransportRequest): unknown {
    const { method, path, query = {}, body } = request;
    const object = this.#objects.get(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const ref = { group: '', plural: path.split('/').at(-2) ?? '' };
    switch (method) {
      case 'POST': {
        const draft = body as DynamicObject;
        const at = `${path}/${draft.metadata.name}`;
        if (this.#objects.has(at)) throw alreadyExists({ group: '', plural: name }, draft.metadata.name);
        return this.#store(at, 'ADDED', {
          ...draft,
          metadata: { ...draft.metadata, uid: `uid-${++this.#uid}`, generation: 1 },
        });
      }
      case 'PUT':
        if (!object) throw notFound(ref, name);
        return this.#update(path, object, body as DynamicObject, ref);
      case 'PATCH':
        if (!object) throw notFound(ref, name);
        return this.#store(path, 'MODIFIED', {
          ...object,
          ...(body as DynamicObject),
          metadata: { ...object.metadata, ...(body as DynamicObject).metadata },
        });
      case 'DELETE':
        if (!object) throw notFound(ref, name);
        this.#store(path, 'DELETED', object);
        return {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Success',
          details: { name, uid: object.metadata.uid },
          code: 200,
        };
      case 'GET':
        if (object) return object;
        if (!path.endsWith('s')) throw notFound(ref, name);
        return this.#list(path, query);
    }
  }

  #update(
    path: string,
    old: DynamicObject,
    draft: DynamicObject,
    ref: { group: string; plural: string },
  ): DynamicObject {
    const { resourceVersion } = draft.metadata;
    if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) {
      throw conflict(ref, old.metadata.name, 'the object has been modified');
    }
    const { uid, creationTimestamp } = old.metadata;
    return this.#store(path, 'MODIFIED', {
      ...draft,
      metadata: {
        ...draft.metadata,
        uid,
        ...(creationTimestamp ? { creationTimestamp } : {}),
      } as KubeObject['metadata'],
    });
  }

  #store(path: string, type: LogEntry['type'], draft: DynamicObject): DynamicObject {
    const version = ++this.#version;
    const managedFields = [{ manager: 'fake', operation: 'Update' as const }];
    const object: DynamicObject = {
      ...draft,
      metadata: { ...draft.metadata, resourceVersion: String(version), managedFields },
    };
    if (type === 'DELETED') this.#objects.delete(path);
    else this.#objects.set(path, object);
    this.#log.push({ version, type, object });
    if (this.autoDeliver) this.deliver();
    return object;
  }

  #list(path: string, query: Readonly<Record<string, string>>): unknown {
    const items = [...this.#objects.values()].filter(selection(path, query));
    const from = Number(query.continue ?? 0);
    const limit = Number(query.limit ?? items.length);
    const next = from + limit < items.length ? { continue: String(from + limit) } : {};
    return {
      kind: 'List',
      apiVersion: 'v1',
      metadata: { resourceVersion: this.version, ...next },
      items: items.slice(from, from + limit),
    };
  }

  #open(request: TransportRequest): AsyncIterable<readonly WatchEvent[]> {
    const { query = {}, signal } = request;
    const streaming = query.sendInitialEvents === 'true';
    if (streaming && this.refuseStreaming) throw invalidStreaming();
    const from = query.resourceVersion === undefined ? this.#version : Number(query.resourceVersion);
    if (from < this.#oldest) throw expired(`too old resource version: ${from} (${this.#oldest})`);
    const stream = new EventStream(signal, () => this.#watches.delete(watch));
    const sent = this.#log.findIndex((entry) => entry.version > from);
    const watch: FakeWatch = {
      selects: selection(request.path, query),
      sent: sent < 0 ? this.#log.length : sent,
      deliver: (events) => stream.push(events),
      end: (error) => stream.end(error),
    };
    this.#watches.add(watch);
    if (streaming) {
      const objects = [...this.#objects.values()].filter(watch.selects);
      stream.push(objects.map((object) => ({ type: 'ADDED', object })));
      stream.push([listEnd(this.version)]);
    }
    if (this.autoDeliver) this.#deliverTo(watch, Number.POSITIVE_INFINITY);
    return stream;
  }

  #deliverTo(watch: FakeWatch, count: number): void {
    const entries = this.#log.slice(watch.sent, watch.sent + count);
    watch.sent += entries.length;
    const events = entries.filter(({ object }) => watch.selects(object)).map(({ type, object }) => ({ type, object }));
    if (events.length > 0) watch.deliver(events);
  }

  #bookmark(): WatchEvent {
    return { type: 'BOOKMARK', object: { metadata: { name: '', resourceVersion: this.version } } };
  }
}

function selection(path: string, query: Readonly<Record<string, string>>): (object: KubeObject) => boolean {
  const selector = parseSelector(query.labelSelector ?? '');
  const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
  return ({ metadata }) =>
    (namespace === undefined || metadata.namespace === namespace) && matchesLabels(selector, metadata.labels);
}

function invalidStreaming(): ApiError {
  return apiError(422, 'Invalid', 'sendInitialEvents: Forbidden: the WatchList feature gate is not enabled');
}

/** Batches pushed on one side and iterated on the other. */
class EventStream implements AsyncIterable<readonly WatchEvent[]> {
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: () => void;
  readonly #batches: (readonly WatchEvent[])[] = [];
  #ended: { readonly error?: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(signal: AbortSignal | undefined, onEnd: () => void) {
    this.#signal = signal;
    this.#onEnd = onEnd;
    signal?.addEventListener('abort', () => this.end(), { once: true });
  }

  push(events: readonly WatchEvent[]): void {
    this.#batches.push(events);
    this.#wake();
  }

  end(error?: unknown): void {
    this.#ended ??= error === undefined ? {} : { error };
    this.#onEnd();
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<readonly WatchEvent[]> {
    try {
      for (;;) {
        if (this.#signal?.aborted) return;
        const batch = this.#batches.shift();
        if (batch) yield batch;
        else if (this.#ended?.error !== undefined) throw this.#ended.error;
        else if (this.#ended) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.#onEnd();
    }
  }
}
