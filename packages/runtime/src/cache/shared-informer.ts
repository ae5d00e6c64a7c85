import type { Kind, KubeObject, ObjectMeta } from '@coxswain/k8s';
import { type Client, labelSelectorText } from '../client/index.ts';
import type { Clock, Logger, Random } from '../core/index.ts';
import type { AppliedFieldsKeeper } from './applied-fields.ts';
import { type InformerCounts, InformerHealth } from './health.ts';
import { ingester } from './ingest.ts';
import type { InformerMetrics } from './metrics.ts';
import { ObjectStore } from './object-store.ts';
import type { Outage } from './outage.ts';
import { Refusals } from './refusals.ts';
import type { ScopeRules } from './scope.ts';
import type { Informer, InformerScope, InformerUse, StoreEvent } from './types.ts';
import { Watcher } from './watcher.ts';

type Handler<T extends KubeObject> = (event: StoreEvent<T>) => void;

export interface SharedInformerOptions<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly scope: InformerScope<T>;
  readonly rules: ScopeRules;
  readonly keeper: AppliedFieldsKeeper;
  readonly metrics: InformerMetrics;
  readonly outage: Outage;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The last use was released. */
  readonly onUnused: () => void;
}

/** One watch, one store and many users. */
export class SharedInformer<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly scope: InformerScope<T>;
  readonly store: ObjectStore<T>;
  readonly synced: Promise<void>;
  readonly health: InformerHealth;
  readonly #metrics: InformerMetrics;
  readonly #handlers = new Set<Handler<T>>();
  readonly #stop = new AbortController();
  readonly #log: Logger;
  readonly #running: Promise<void>;
  readonly #onUnused: () => void;
  #users = 0;
  /** Those of them that cannot do without it. */
  #needed = 0;
  #resolveSynced: () => void = () => {};
  #rejectSynced: (reason: Error) => void = () => {};

  constructor(options: SharedInformerOptions<T>) {
    const { kind, scope, rules, keeper, client, clock, random } = options;
    this.kind = kind;
    this.scope = scope;
    this.#onUnused = options.onUnused;
    this.#metrics = options.metrics;
    this.health = new InformerHealth(clock, options.metrics);
    this.#log = options.log.child({ kind: kind.kind, ...(scope.namespace ? { namespace: scope.namespace } : {}) });
    this.synced = new Promise((resolve, reject) => {
      this.#resolveSynced = resolve;
      this.#rejectSynced = reject;
    });
    // Nobody may be waiting when the informer stops before it has synced.
    this.synced.catch(() => {});
    this.store = new ObjectStore<T>({
      ingest: ingester(kind, {
        ...scope,
        keeper,
        onBadTransform: (object, error) => this.#badTransform(object, error),
      }),
      whole: !scope.metadataOnly && !scope.transform,
      includes: rules.includes,
      emit: (event) => this.#emit(event),
    });
    const { metadataOnly, namespace, labels, fields } = scope;
    const selection = {
      ...(namespace ? { namespace } : {}),
      ...(labels ? { labels: labelSelectorText(labels) } : {}),
      ...(fields ? { fields } : {}),
      ...(metadataOnly ? { metadataOnly } : {}),
      keepManagedFields: (metadata: ObjectMeta, text: string) => keeper.keepText(metadata, text),
    };
    const watcher = new Watcher({
      resource: client.of(kind),
      selection,
      sink: this.#sink(),
      clock,
      random,
      log: this.#log,
      health: this.health,
      outage: options.outage,
      refusals: new Refusals({ kind, namespace, clock, log: this.#log }),
    });
    this.#running = watcher.run(this.#stop.signal);
  }

  /** Whether all its users can do without. */
  get optional(): boolean {
    return this.#needed === 0;
  }

  /** A handle for one more user. */
  use({ optional = false }: InformerUse): Informer<T> {
    const need = optional ? 0 : 1;
    this.#users++;
    this.#needed += need;
    return new InformerHandle(this, () => {
      this.#needed -= need;
      if (--this.#users === 0) this.#onUnused();
    });
  }

  addHandler(handler: Handler<T>): () => void {
    // Its own wrapper, so that the same function can be added twice and taken off one by one.
    const entry: Handler<T> = (event) => handler(event);
    for (const object of this.store.list()) this.#call(entry, { type: 'added', object, initial: true });
    this.#handlers.add(entry);
    return () => this.#handlers.delete(entry);
  }

  /** Ends the watch and frees the store. */
  async stop(): Promise<void> {
    const reason = new Error(`the informer of ${this.kind.kind} was stopped`);
    this.#stop.abort(reason);
    this.#rejectSynced(reason);
    this.#metrics.stop();
    await this.#running;
    this.#handlers.clear();
    this.store.clear();
  }

  #sink(): ConstructorParameters<typeof Watcher<T>>[0]['sink'] {
    const { store } = this;
    const synced = () => this.#resolveSynced();
    return {
      get resourceVersion() {
        return store.resourceVersion;
      },
      beginListing: () => store.beginListing(),
      listed: (object) => store.listed(object),
      endListing(version) {
        const complete = store.endListing(version);
        if (complete) synced();
        return complete;
      },
      changed: (object) => store.changed(object),
      removed: (object) => store.removed(object),
      bookmark: (version) => store.bookmark(version),
    };
  }

  #badTransform({ metadata: { namespace, name } }: T, error: unknown): void {
    this.#log.error(
      { err: error, namespace, name },
      'the transform cannot be used; objects like this one are kept whole',
    );
  }

  #emit(event: StoreEvent<T>): void {
    for (const handler of this.#handlers) this.#call(handler, event);
  }

  /** A handler's failure is its own: the store and the other handlers go on. */
  #call(handler: Handler<T>, event: StoreEvent<T>): void {
    try {
      handler(event);
    } catch (error) {
      const { namespace, name } = event.object.metadata;
      this.#log.error(
        { err: error, namespace, name, event: event.type },
        'an event handler threw; the event is lost to it',
      );
    }
  }
}

/** One user's view of a shared informer. Releasing it takes its handlers off. */
class InformerHandle<T extends KubeObject> implements Informer<T> {
  readonly kind: Kind<T>;
  readonly store: ObjectStore<T>;
  readonly #shared: SharedInformer<T>;
  readonly #release: () => void;
  readonly #removers = new Set<() => void>();
  #released = false;

  constructor(shared: SharedInformer<T>, release: () => void) {
    this.kind = shared.kind;
    this.store = shared.store;
    this.#shared = shared;
    this.#release = release;
  }

  get synced(): Promise<void> {
    return this.#shared.synced;
  }

  get hasSynced(): boolean {
    return this.store.synced;
  }

  get lag(): number {
    return this.#shared.health.lag;
  }

  get counts(): InformerCounts {
    return this.#shared.health.counts;
  }

  onEvent(handler: Handler<T>): () => void {
    const take = this.#shared.addHandler(handler);
    const remove = () => {
      this.#removers.delete(remove);
      take();
    };
    this.#removers.add(remove);
    return remove;
  }

  addIndex(name: string, values: (object: T) => readonly string[]): void {
    this.store.addIndex(name, values);
  }

  setNamespaces(): void {
    throw new Error(
      `the informer of ${this.kind.kind} was not declared with \`namespaces\`, so they cannot be changed`,
    );
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    for (const remove of this.#removers) remove();
    this.#release();
  }
}
