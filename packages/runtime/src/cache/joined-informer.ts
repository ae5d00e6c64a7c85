import type { Kind, KubeObject } from '@coxswain/k8s';
import type { Logger, ObjectKey } from '../core/index.ts';
import type { InformerCounts } from './health.ts';
import { compareVersions, isOrdered } from './resource-version.ts';
import type { Informer, Store, StoreEvent } from './types.ts';

type Handler<T extends KubeObject> = (event: StoreEvent<T>) => void;

export interface JoinedInformerOptions<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly namespaces: readonly string[];
  /** The informer of one namespace, to be released. */
  readonly open: (namespace: string) => Informer<T>;
  readonly onReleased: () => void;
  readonly log: Logger;
}

/** One namespace of a joined informer, and how to take each handler off it. */
interface Part<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly removers: Map<Handler<T>, () => void>;
}

/**
 * The informers of several namespaces as one, for those who may not watch them all. Each namespace has its own watch, shared
 * with everybody else who watches it.
 */
export class JoinedInformer<T extends KubeObject> implements Informer<T> {
  readonly kind: Kind<T>;
  readonly store: Store<T>;
  readonly #options: JoinedInformerOptions<T>;
  readonly #parts = new Map<string, Part<T>>();
  readonly #handlers = new Set<Handler<T>>();
  readonly #indexes = new Map<string, (object: T) => readonly string[]>();
  #released = false;

  constructor(options: JoinedInformerOptions<T>) {
    this.kind = options.kind;
    this.#options = options;
    this.store = new JoinedStore(this.#parts);
    for (const namespace of new Set(options.namespaces)) this.#add(namespace);
  }

  get synced(): Promise<void> {
    return Promise.all([...this.#parts.values()].map(({ informer }) => informer.synced)).then(() => {});
  }

  get hasSynced(): boolean {
    return [...this.#parts.values()].every(({ informer }) => informer.hasSynced);
  }

  get lag(): number {
    return Math.max(0, ...[...this.#parts.values()].map(({ informer }) => informer.lag));
  }

  get counts(): InformerCounts {
    const sum = { relists: 0, watches: 0, events: 0, restarts: 0 };
    for (const { informer } of this.#parts.values()) {
      const { counts } = informer;
      for (const what of Object.keys(sum) as (keyof InformerCounts)[]) sum[what] += counts[what];
    }
    return sum;
  }

  onEvent(handler: Handler<T>): () => void {
    // Its own wrapper, so that the same function can be added twice and taken off one by one.
    const entry: Handler<T> = (event) => handler(event);
    this.#handlers.add(entry);
    for (const part of this.#parts.values()) part.removers.set(entry, part.informer.onEvent(entry));
    return () => {
      this.#handlers.delete(entry);
      for (const { removers } of this.#parts.values()) {
        removers.get(entry)?.();
        removers.delete(entry);
      }
    };
  }

  addIndex(name: string, values: (object: T) => readonly string[]): void {
    for (const { informer } of this.#parts.values()) informer.addIndex(name, values);
    this.#indexes.set(name, values);
  }

  setNamespaces(namespaces: readonly string[]): void {
    if (this.#released) return;
    const wanted = new Set(namespaces);
    for (const [namespace, part] of [...this.#parts]) if (!wanted.has(namespace)) this.#leave(namespace, part);
    for (const namespace of wanted) if (!this.#parts.has(namespace)) this.#add(namespace);
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    for (const { informer } of this.#parts.values()) informer.release();
    this.#parts.clear();
    this.#handlers.clear();
    this.#options.onReleased();
  }

  #add(namespace: string): void {
    const informer = this.#options.open(namespace);
    const part: Part<T> = { informer, removers: new Map() };
    for (const [name, values] of this.#indexes) informer.addIndex(name, values);
    this.#parts.set(namespace, part);
    for (const handler of this.#handlers) part.removers.set(handler, informer.onEvent(handler));
  }

  /** Its objects are no longer in the scope: handlers are told as of any object that leaves a selection. */
  #leave(namespace: string, { informer, removers }: Part<T>): void {
    const objects = [...informer.store.list()];
    for (const remove of removers.values()) remove();
    this.#parts.delete(namespace);
    informer.release();
    for (const object of objects) this.#emit({ type: 'deleted', object });
  }

  /** A handler's failure is its own. */
  #emit(event: StoreEvent<T>): void {
    for (const handler of this.#handlers) {
      try {
        handler(event);
      } catch (error) {
        const { namespace, name } = event.object.metadata;
        this.#options.log.error({ err: error, kind: this.kind.kind, namespace, name }, 'an event handler threw');
      }
    }
  }
}

/** The stores of some namespaces, read as one. */
class JoinedStore<T extends KubeObject> implements Store<T> {
  readonly #parts: ReadonlyMap<string, Part<T>>;

  constructor(parts: ReadonlyMap<string, Part<T>>) {
    this.#parts = parts;
  }

  get #stores(): readonly Store<T>[] {
    return [...this.#parts.values()].map(({ informer }) => informer.store);
  }

  get size(): number {
    return this.#stores.reduce((sum, { size }) => sum + size, 0);
  }

  get resourceVersion(): string {
    return this.#stores
      .map(({ resourceVersion }) => resourceVersion)
      .reduce((a, b) => (isOrdered(a) && isOrdered(b) && compareVersions(a, b) >= 0 ? a : b), '0');
  }

  get(key: ObjectKey): T | undefined {
    return this.#parts.get(key.namespace ?? '')?.informer.store.get(key);
  }

  list(options: Parameters<Store<T>['list']>[0] = {}): readonly T[] {
    const { namespace } = options;
    const only = namespace === undefined ? undefined : this.#parts.get(namespace)?.informer.store;
    const stores = namespace === undefined ? this.#stores : only ? [only] : [];
    return stores.flatMap((store) => [...store.list(options)]);
  }

  by(index: string, value: string): readonly T[] {
    return this.#stores.flatMap((store) => [...store.by(index, value)]);
  }
}
