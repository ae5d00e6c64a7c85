import { apiVersionOf, type Kind, type KubeObject, parseApiVersion, resourceName } from '@coxswain/k8s';
import type { Cache, Informer, Store, StoreEvent } from '@coxswain/runtime/cache';
import type { Manager } from '@coxswain/runtime/manager';
import { discoverKinds, type ServedKinds } from './served-kinds.ts';

/** The objects of one kind, metadata only. */
export interface Monitor {
  /** `pods`, `deployments.apps` …: the same for all versions. */
  readonly id: string;
  readonly kind: Kind;
  readonly store: Store<KubeObject>;
}

export interface MonitorEvent {
  readonly monitor: Monitor;
  readonly change: StoreEvent<KubeObject>;
}

/** Watches the metadata of all objects. Kinds come and go; what is there of a new kind is told as added. */
export interface KindMonitors {
  /** Starts once, for all callers; resolves when the kinds of the beginning have synced. */
  start(): Promise<void>;
  all(): Iterable<Monitor>;
  byId(id: string): Monitor | undefined;
  /** The kind that an `ownerReference` names, whatever its version. */
  byReference(reference: { readonly apiVersion: string; readonly kind: string }): Monitor | undefined;
  /** Adds an index to each monitor's store, also of kinds to come. Call before {@link start}. */
  addIndex(name: string, values: (object: KubeObject) => readonly string[]): void;
  /** Every change of every object, synchronously. A new handler first gets what is there, as initial additions. */
  onEvent(handler: (event: MonitorEvent) => void): () => void;
  /** After kinds came or went. */
  onKinds(listener: () => void): () => void;
}

/** Monitors in a manager's cache, stopped with it. `served` defaults to discovery. */
export function monitorKinds(
  manager: Manager,
  served: ServedKinds = discoverKinds(manager.client, manager.cache),
): KindMonitors {
  const monitors = new Monitors(manager.cache, served);
  manager.add({ name: 'kind-monitors', start: () => monitors.start(), stop: async () => monitors.stop() });
  return monitors;
}

class RunningMonitor implements Monitor {
  readonly id: string;
  readonly kind: Kind;
  readonly informer: Informer<KubeObject>;

  constructor(kind: Kind, cache: Cache) {
    this.id = resourceName(kind);
    this.kind = kind;
    this.informer = cache.informer(kind, { metadataOnly: true });
  }

  get store(): Store<KubeObject> {
    return this.informer.store;
  }
}

class Monitors implements KindMonitors {
  readonly #cache: Cache;
  readonly #served: ServedKinds;
  readonly #monitors = new Map<string, RunningMonitor>();
  readonly #references = new Map<string, RunningMonitor>();
  readonly #indexes: [string, (object: KubeObject) => readonly string[]][] = [];
  readonly #handlers = new Set<(event: MonitorEvent) => void>();
  readonly #kindListeners = new Set<() => void>();
  #starting: Promise<void> | undefined;

  constructor(cache: Cache, served: ServedKinds) {
    this.#cache = cache;
    this.#served = served;
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  all(): Iterable<Monitor> {
    return this.#monitors.values();
  }

  byId(id: string): Monitor | undefined {
    return this.#monitors.get(id);
  }

  byReference({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): Monitor | undefined {
    return this.#references.get(referenceKey(parseApiVersion(apiVersion).group, kind));
  }

  addIndex(name: string, values: (object: KubeObject) => readonly string[]): void {
    this.#indexes.push([name, values]);
  }

  onEvent(handler: (event: MonitorEvent) => void): () => void {
    for (const monitor of this.#monitors.values()) {
      for (const object of monitor.store.list()) handler({ monitor, change: { type: 'added', object, initial: true } });
    }
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  onKinds(listener: () => void): () => void {
    this.#kindListeners.add(listener);
    return () => this.#kindListeners.delete(listener);
  }

  stop(): void {
    this.#served.stop();
    for (const monitor of this.#monitors.values()) monitor.informer.release();
    this.#monitors.clear();
    this.#references.clear();
    this.#handlers.clear();
    this.#kindListeners.clear();
  }

  async #start(): Promise<void> {
    await this.#served.start();
    this.#served.onChange((gone) => this.#follow(gone));
    this.#follow(new Set());
    await Promise.all([...this.#monitors.values()].map(({ informer }) => informer.synced));
  }

  /** Brings the monitors in line with the served kinds. */
  #follow(gone: ReadonlySet<string>): void {
    const wanted = new Map(this.#served.list().map((kind) => [resourceName(kind), kind]));
    let changed = false;
    for (const monitor of [...this.#monitors.values()]) {
      const kind = wanted.get(monitor.id);
      if (kind && apiVersionOf(kind) === apiVersionOf(monitor.kind)) continue;
      this.#remove(monitor, gone.has(monitor.id));
      changed = true;
    }
    for (const [id, kind] of wanted) {
      if (this.#monitors.has(id)) continue;
      this.#add(kind);
      changed = true;
    }
    if (changed) for (const listener of this.#kindListeners) listener();
  }

  #add(kind: Kind): void {
    const monitor = new RunningMonitor(kind, this.#cache);
    this.#monitors.set(monitor.id, monitor);
    this.#references.set(referenceKey(kind.group, kind.kind), monitor);
    for (const [name, values] of this.#indexes) monitor.informer.addIndex(name, values);
    monitor.informer.onEvent((change) => {
      for (const handler of this.#handlers) handler({ monitor, change });
    });
  }

  /** Objects that went with their kind are told as deleted; of others nobody is told, they come again under another version. */
  #remove(monitor: RunningMonitor, gone: boolean): void {
    const objects = gone ? [...monitor.store.list()] : [];
    monitor.informer.release();
    this.#monitors.delete(monitor.id);
    this.#references.delete(referenceKey(monitor.kind.group, monitor.kind.kind));
    for (const object of objects) {
      for (const handler of this.#handlers) handler({ monitor, change: { type: 'deleted', object } });
    }
  }
}

function referenceKey(group: string, kind: string): string {
  return `${group}/${kind}`;
}
