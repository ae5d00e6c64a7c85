import { type Kind, type KubeObject, type ObjectMeta, resourceName } from '@coxswain/k8s';
import type { Authorship, Client, KeepManagedFields } from '../client/index.ts';
import {
  abortable,
  type Clock,
  checkOptions,
  type Logger,
  type ObjectKey,
  optionNames,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from '../core/index.ts';
import { type MetricsRegistry, noMetrics } from '../metrics/index.ts';
import { AppliedFieldsKeeper } from './applied-fields.ts';
import { checkScope } from './check-scope.ts';
import { JoinedInformer } from './joined-informer.ts';
import { kindId } from './kind-id.ts';
import { CacheMetrics } from './metrics.ts';
import { Outage } from './outage.ts';
import { scopeRules } from './scope.ts';
import { SharedInformer } from './shared-informer.ts';
import type { Cache, Informer, InformerScope, InformerState, InformerUse, Store } from './types.ts';

/** What `createCache` needs; only the client is required. */
export interface CacheOptions {
  readonly client: Client;
  /** Waits and watchdogs run on it; default the machine's. */
  readonly clock?: Clock;
  /** Spreads reconnects; default the machine's. */
  readonly random?: Random;
  /** Default: says nothing. */
  readonly log?: Logger;
  /** Where `coxswain_informer_*` go; default: nowhere. */
  readonly metrics?: MetricsRegistry;
  /** What scopes of namespaced kinds that name no namespace mean: this one. Default: all. For those who may look into one only. */
  readonly namespace?: string;
}

const cacheOptions = optionNames<CacheOptions>({
  client: true,
  clock: true,
  random: true,
  log: true,
  metrics: true,
  namespace: true,
});

/** Takes the answers of our own writes, so that the stores show them before the watch does. */
export interface OwnWriteSink {
  /** For writes whose answers go to the stores, which keep managed fields in a form of their own. */
  readonly keepManagedFields: KeepManagedFields;
  /** A write of ours answered this object. @param isOurs whether its version is our doing */
  written(kind: Kind, object: KubeObject, origin: object | undefined, isOurs: Authorship): void;
  /**
   * A delete of ours is about to be sent. Call what it answers when the server says that the object is gone:
   * the object that the store showed when the delete was sent is then taken out.
   */
  deleting(kind: Kind, key: ObjectKey): (origin: object | undefined) => void;
  /** The server has answered a call: informers that wait because it was out of reach try again soon. */
  heard(): void;
}

/** The informers of one API server. Each starts when it is asked for and stops with its last user. */
export function createCache(options: CacheOptions): Cache & OwnWriteSink {
  checkOptions('createCache', options, cacheOptions);
  return new InformerCache(options);
}

class InformerCache implements Cache, OwnWriteSink {
  readonly #options: Required<Omit<CacheOptions, 'metrics' | 'namespace'>>;
  readonly #namespace: string | undefined;
  readonly #metrics: CacheMetrics;
  readonly #outage: Outage;
  readonly #informers = new Map<string, SharedInformer<KubeObject>>();
  /** The same informers by `group/version/plural`, in the order they were declared. */
  readonly #byKind = new Map<string, SharedInformer<KubeObject>[]>();
  /** Informers of several namespaces, by the same; their parts are among the others. */
  readonly #joins = new Map<string, readonly Informer<KubeObject>[]>();
  readonly #transforms = new WeakMap<object, string>();
  #transformCount = 0;
  /** Keeps what field managers of ours applied, for all stores. */
  readonly #keeper = new AppliedFieldsKeeper();
  readonly keepManagedFields = (metadata: ObjectMeta, text: string): void => this.#keeper.keepText(metadata, text);
  #stopped = false;

  constructor(options: CacheOptions) {
    const { metrics = noMetrics, namespace, ...rest } = options;
    this.#namespace = namespace;
    this.#options = { clock: systemClock, random: systemRandom, log: silentLogger, ...rest };
    this.#outage = new Outage(this.#options.clock, this.#options.random, this.#options.log);
    this.#metrics = new CacheMetrics(metrics, this.#options.clock);
  }

  informer<T extends KubeObject>(
    kind: Kind<T>,
    scope: InformerScope<NoInfer<T>> = {},
    use: InformerUse = {},
  ): Informer<T> {
    if (this.#stopped) throw new Error(`cannot watch ${resourceName(kind)}: the cache was stopped`);
    checkScope(`informer of ${resourceName(kind)}`, scope as InformerScope);
    if (this.#namespace && kind.scope === 'Namespaced' && !scope.namespace && !scope.namespaces)
      return this.#shared(kind, { ...scope, namespace: this.#namespace }, use);
    return scope.namespaces ? this.#joined(kind, scope.namespaces, scope, use) : this.#shared(kind, scope, use);
  }

  store<T extends KubeObject>(kind: Kind<T>): Store<T> {
    const candidates = this.#of(kind);
    const found =
      candidates.find(({ scope }) => isUnscoped(scope, this.#namespace)) ??
      this.#joins.get(kindId(kind))?.[0] ??
      candidates[0];
    if (!found) {
      throw new Error(
        `no informer of ${resourceName(kind)}: declare it with owns or watches, or read it through the client`,
      );
    }
    return found.store as unknown as Store<T>;
  }

  has(kind: Kind): boolean {
    return this.#byKind.has(kindId(kind));
  }

  keepAppliedFields(fieldManager: string): void {
    this.#keeper.add(fieldManager);
  }

  informers(): readonly InformerState[] {
    return [...this.#informers.values()].map(({ kind, scope, store, health, optional }) => ({
      kind,
      scope,
      store,
      hasSynced: store.synced,
      lag: health.lag,
      counts: health.counts,
      optional,
    }));
  }

  async synced(signal?: AbortSignal): Promise<void> {
    // One that is declared meanwhile is waited for too.
    for (;;) {
      const waiting = [...this.#informers.values()].filter(({ store }) => !store.synced);
      if (waiting.length === 0) return;
      await abortable(Promise.all(waiting.map((informer) => informer.synced)), signal);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#informers.keys()].map((id) => this.#drop(id)));
  }

  written(kind: Kind, object: KubeObject, origin: object | undefined, isOurs: Authorship): void {
    this.heard();
    for (const { store } of this.#of(kind)) store.written(object, origin, isOurs);
  }

  deleting(kind: Kind, key: ObjectKey): (origin: object | undefined) => void {
    const before = this.#of(kind).map(({ store }) => ({ store, uid: store.get(key)?.metadata.uid }));
    return (origin) => {
      for (const { store, uid } of before) if (uid !== undefined) store.gone(key, uid, origin);
    };
  }

  heard(): void {
    this.#outage.heard();
  }

  #shared<T extends KubeObject>(kind: Kind<T>, scope: InformerScope<T>, use: InformerUse): Informer<T> {
    const rules = scopeRules(kind, scope as InformerScope, this.#transformId(scope.transform));
    const known = this.#informers.get(rules.id);
    // The id holds the kind, so the objects are of type T.
    if (known) return (known as unknown as SharedInformer<T>).use(use);
    const onUnused = () => void this.#drop(rules.id);
    const metrics = this.#metrics.observe(kind);
    const shared = new SharedInformer<T>({
      ...this.#options,
      kind,
      scope,
      rules,
      keeper: this.#keeper,
      metrics,
      outage: this.#outage,
      onUnused,
    });
    const entry = shared as unknown as SharedInformer<KubeObject>;
    this.#informers.set(rules.id, entry);
    this.#byKind.set(kindId(kind), [...this.#of(kind), entry]);
    return shared.use(use);
  }

  #joined<T extends KubeObject>(
    kind: Kind<T>,
    namespaces: readonly string[],
    { namespaces: _, ...scope }: InformerScope<T>,
    use: InformerUse,
  ): Informer<T> {
    const what = `cannot watch ${resourceName(kind)} in several namespaces`;
    if (kind.scope === 'Cluster') throw new Error(`${what}: its objects have none`);
    const id = kindId(kind);
    const others = () => (this.#joins.get(id) ?? []).filter((other) => other !== entry);
    const informer = new JoinedInformer<T>({
      kind,
      namespaces,
      open: (namespace) => this.informer(kind, { ...scope, namespace }, use),
      onReleased: () => {
        const left = others();
        if (left.length > 0) this.#joins.set(id, left);
        else this.#joins.delete(id);
      },
      log: this.#options.log,
    });
    const entry = informer as unknown as Informer<KubeObject>;
    this.#joins.set(id, [...others(), entry]);
    return informer;
  }

  #transformId(transform: unknown): string {
    if (typeof transform !== 'function') return '';
    const id = this.#transforms.get(transform) ?? `transform ${++this.#transformCount}`;
    this.#transforms.set(transform, id);
    return id;
  }

  #of(kind: Kind): readonly SharedInformer<KubeObject>[] {
    return this.#byKind.get(kindId(kind)) ?? [];
  }

  async #drop(id: string): Promise<void> {
    const informer = this.#informers.get(id);
    if (!informer) return;
    this.#informers.delete(id);
    const rest = this.#of(informer.kind).filter((other) => other !== informer);
    if (rest.length > 0) this.#byKind.set(kindId(informer.kind), rest);
    else this.#byKind.delete(kindId(informer.kind));
    await informer.stop();
  }
}

function isUnscoped(
  { namespace, labels, fields, metadataOnly, transform }: InformerScope,
  all: string | undefined,
): boolean {
  return (!namespace || namespace === all) && !labels && !fields && !metadataOnly && !transform;
}
