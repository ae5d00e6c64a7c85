import type { Kind, KubeObject } from '@coxswain/k8s';
import { kindId } from '../cache/index.ts';
import type { Cache, Informer, InformerScope, InformerUse, Store } from '../cache/types.ts';

/**
 * The cache as one controller reads it: a kind that it watches is shown by an informer that wakes it. Any other informer of the kind
 * may be behind, or may list nothing, and what it brings later would wake nobody.
 */
export class OwnStores implements Cache {
  readonly #cache: Cache;
  readonly #own = new Map<string, Informer<KubeObject>>();

  constructor(cache: Cache) {
    this.#cache = cache;
  }

  /** One more informer that wakes the controller. Of several of a kind, the cache's own choice is read, else the first. */
  add(informer: Informer<KubeObject>): void {
    const id = kindId(informer.kind);
    if (this.#own.has(id) && this.#cache.store(informer.kind) !== informer.store) return;
    this.#own.set(id, informer);
  }

  /** The informer whose store is read. */
  shown(kind: Kind): Informer<KubeObject> | undefined {
    return this.#own.get(kindId(kind));
  }

  store<T extends KubeObject>(kind: Kind<T>): Store<T> {
    // The id is the kind's, so the objects are of type T.
    return (this.shown(kind)?.store as Store<T> | undefined) ?? this.#cache.store(kind);
  }

  informer<T extends KubeObject>(kind: Kind<T>, scope?: InformerScope<NoInfer<T>>, use?: InformerUse): Informer<T> {
    return this.#cache.informer(kind, scope, use);
  }

  has(kind: Kind): boolean {
    return this.#cache.has(kind);
  }

  keepAppliedFields(fieldManager: string): void {
    this.#cache.keepAppliedFields(fieldManager);
  }

  informers(): ReturnType<Cache['informers']> {
    return this.#cache.informers();
  }

  synced(signal?: AbortSignal): Promise<void> {
    return this.#cache.synced(signal);
  }

  stop(): Promise<void> {
    return this.#cache.stop();
  }
}
