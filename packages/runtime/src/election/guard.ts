import type { Kind, KubeList, KubeObject } from '@coxswain/k8s';
import {
  type Authorship,
  type CallOptions,
  type Client,
  createAuthorship,
  type DeleteOptions,
  deleteAuthorship,
  isObject,
  type ListOptions,
  type Patch,
  type PatchOptions,
  patchAuthorship,
  patchEffect,
  type Resource,
  ResourceVerbs,
  type Subresource,
  type Transport,
  type TransportRequest,
  updateAuthorship,
  updateEffect,
  type WatchEvent,
  type WatchOptions,
  type WriteEffect,
  type WriteOptions,
} from '../client/index.ts';
import { keyOf, type ObjectKey } from '../core/index.ts';

/** Asked before each call. It throws to refuse the call; the signal it answers ends the call when aborted. */
export interface Guard {
  read(): AbortSignal | undefined;
  write(): AbortSignal | undefined;
  /** Asked again right before each try of a write is sent; it throws to refuse it. */
  gate?(): void;
  /** Told of each call of a kind's verbs when it begins, as `patch configmaps default/a`; it answers what to call at its end. */
  began?(what: string): () => void;
  /** Told of each write before it is sent. `target` is absent for raw requests and collections. */
  track?(target: WriteTarget | undefined): WriteReport;
}

/** Called once when the write has ended. `answer` is the object as the server answered it, absent when it is gone. */
export type WriteReport = (ended: {
  readonly ok: boolean;
  readonly answer?: KubeObject | undefined;
  readonly error?: unknown;
}) => void;

/** One object about to be written. Its name may be `''` when the server is to make one. */
export interface WriteTarget {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** Whether the version that the write answers is its doing. */
  readonly isOurs: Authorship;
  /** Whether it changed anything; absent: it did if the version is another. */
  readonly hasEffect?: WriteEffect;
}

/** A client whose every call, of every kind and raw, is asked of `guard` first. */
export function guardedClient(client: Client, guard: Guard): Client {
  return {
    transport: guardedTransport(client.transport, guard),
    of: <T extends KubeObject>(kind: Kind<T>) => new GuardedResource(kind, client.of<T, KubeObject>(kind), guard),
    async raw(request) {
      const report = request.method === 'GET' ? undefined : guard.track?.(undefined);
      return await reported(report, () => client.raw(guarded(guard, request)));
    },
  };
}

/** Ends the calls of a client when `signal` is aborted, and refuses those made later. */
export function withSignal(client: Client, signal: AbortSignal): Client {
  const check = () => {
    signal.throwIfAborted();
    return signal;
  };
  return guardedClient(client, { read: check, write: check });
}

function guardedTransport(transport: Transport, guard: Guard): Transport {
  const { list } = transport;
  return {
    send: async (request) => transport.send(guarded(guard, request)),
    watch: async (request) => transport.watch(guarded(guard, request)),
    ...(list ? { list: async (request) => list(guarded(guard, request)) } : {}),
    close: () => transport.close(),
  };
}

function guarded(guard: Guard, request: TransportRequest): TransportRequest {
  return request.method === 'GET' ? withSignalOf(guard.read(), request) : withGuard(guard, request);
}

/** For a write: the options with the guard's signal and gate, beside those they have. */
function withGuard<O extends CallOptions>(guard: Guard, options: O): O {
  const signed = told(guard, withSignalOf(guard.write(), options));
  if (!guard.gate) return signed;
  const outer = options.gate;
  const gate = () => {
    outer?.();
    guard.gate?.();
  };
  return { ...signed, gate };
}

function told<O extends CallOptions>({ began }: Guard, options: O): O {
  return began && !options.began ? { ...options, began } : options;
}

function withSignalOf<O extends CallOptions>(signal: AbortSignal | undefined, options: O): O {
  if (!signal || signal === options.signal) return options;
  return { ...options, signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal };
}

async function reported<A>(
  report: WriteReport | undefined,
  send: () => Promise<A>,
  object: (answer: A) => KubeObject | undefined = () => undefined,
): Promise<A> {
  try {
    const answer = await send();
    report?.({ ok: true, answer: object(answer) });
    return answer;
  } catch (error) {
    report?.({ ok: false, error });
    throw error;
  }
}

class GuardedResource<T extends KubeObject> extends ResourceVerbs<T> implements Resource<T, KubeObject> {
  readonly #kind: Kind<T>;
  readonly #inner: Resource<T, KubeObject>;
  readonly #guard: Guard;

  constructor(kind: Kind<T>, inner: Resource<T, KubeObject>, guard: Guard) {
    super();
    this.#kind = kind;
    this.#inner = inner;
    this.#guard = guard;
  }

  async get(key: ObjectKey, options?: CallOptions): Promise<T> {
    return await this.#inner.get(key, this.#read(options));
  }

  async find(key: ObjectKey, options?: CallOptions): Promise<T | undefined> {
    return await this.#inner.find(key, this.#read(options));
  }

  async list(options?: ListOptions): Promise<KubeList<T>> {
    return await this.#inner.list(this.#read(options));
  }

  async *listAll(options?: ListOptions): AsyncIterable<T> {
    yield* this.#inner.listAll(this.#read(options));
  }

  async create(object: KubeObject, options?: WriteOptions): Promise<T> {
    return await this.#tracked(keyOf(object), createAuthorship, () => this.#inner.create(object, this.#write(options)));
  }

  async update(object: T, options?: WriteOptions): Promise<T> {
    const send = () => this.#inner.update(object, this.#write(options));
    return await this.#tracked(keyOf(object), updateAuthorship(object), send, updateEffect(object));
  }

  async updateStatus(object: T, options?: WriteOptions): Promise<T> {
    return await this.#tracked(keyOf(object), updateAuthorship(object), () =>
      this.#inner.updateStatus(object, this.#write(options)),
    );
  }

  async patch(key: ObjectKey, patch: Patch, options?: PatchOptions): Promise<T> {
    const send = () => this.#inner.patch(key, patch, this.#write(options));
    return await this.#tracked(key, patchAuthorship(patch), send, patchEffect(patch));
  }

  subresource<S extends object = T>(name: string): Subresource<S> {
    const inner = this.#inner.subresource<S>(name);
    const answered = (answer: S) => (isObject(answer) ? answer : undefined);
    const write = (key: ObjectKey, isOurs: Authorship, send: () => Promise<S>) =>
      reported(this.#guard.track?.({ kind: this.#kind, key, isOurs }), send, answered);
    return {
      get: async (key, options) => await inner.get(key, this.#read(options)),
      create: async (key, body, options) =>
        await write(
          key,
          () => false,
          () => inner.create(key, body, this.#write(options)),
        ),
      update: async (key, body, options) =>
        await write(key, isObject(body) ? updateAuthorship(body) : () => false, () =>
          inner.update(key, body, this.#write(options)),
        ),
      patch: async (key, patch, options) =>
        await write(key, patchAuthorship(patch), () => inner.patch(key, patch, this.#write(options))),
    };
  }

  async delete(key: ObjectKey, options?: DeleteOptions): Promise<T | undefined> {
    return await this.#tracked(key, deleteAuthorship(options), () => this.#inner.delete(key, this.#write(options)));
  }

  async deleteCollection(options: ListOptions & DeleteOptions): Promise<void> {
    const send = () => this.#inner.deleteCollection(withGuard(this.#guard, options));
    return await reported(this.#guard.track?.(undefined), send);
  }

  async watch(options?: WatchOptions): Promise<AsyncIterable<readonly WatchEvent<T>[]>> {
    return await this.#inner.watch(this.#read(options));
  }

  #tracked<A extends T | undefined>(
    key: ObjectKey,
    isOurs: Authorship,
    send: () => Promise<A>,
    hasEffect?: WriteEffect,
  ): Promise<A> {
    const target = { kind: this.#kind, key, isOurs, ...(hasEffect ? { hasEffect } : {}) };
    return reported(this.#guard.track?.(target), send, (answer) => answer);
  }

  #read<O extends CallOptions>(options: O | undefined): O {
    return told(this.#guard, withSignalOf(this.#guard.read(), options ?? ({} as O)));
  }

  #write<O extends CallOptions>(options: O | undefined): O {
    return withGuard(this.#guard, options ?? ({} as O));
  }
}
