import type { Kind, KubeObject } from '@coxswain/k8s';
import { keyOf, keyString, type Logger, type ObjectKey, parseKey, type Timer } from '../core/index.ts';
import { noMetrics } from '../metrics/index.ts';
import { type Lane, queueMetrics, WorkQueue } from '../queue/index.ts';
import type { Sharder } from '../sharding/index.ts';
import { ControllerStopped } from './errors.ts';
import { ExternalFeeds, type ExternalSource } from './external-source.ts';
import type { ControllerHost } from './host.ts';
import { type ControllerObserver, controllerMetrics } from './metrics.ts';
import type { ResolvedOptions } from './options.ts';
import { OwnStores } from './own-stores.ts';
import { Passes } from './passes.ts';
import type { Attached, Enqueue, Source } from './source.ts';
import { Startup } from './startup.ts';
import type { Controller, DeclaredActor, DeclaredController, DeclaredKind, Reconciler } from './types.ts';

interface Parts<T extends KubeObject> {
  readonly name: string;
  readonly kind: Kind<T>;
  readonly host: ControllerHost;
  readonly options: ResolvedOptions;
  /** The controller's own kind first. */
  readonly sources: readonly Source[];
  readonly external: readonly ExternalSource[];
  readonly reconciler: Reconciler;
  readonly actor?: DeclaredActor;
}

/** A controller with a life: attached to its sources, then (when leading) working, then stopped. */
export class RunningController<T extends KubeObject = KubeObject> implements Controller {
  readonly name: string;
  readonly kind: Kind;
  readonly leaderOnly: boolean;
  readonly #parts: Parts<T>;
  readonly #queue: WorkQueue;
  readonly #observer: ControllerObserver;
  readonly #log: Logger;
  readonly #passes: Passes;
  readonly #stores: OwnStores;
  readonly #sharder: Sharder | undefined;
  readonly #external: ExternalFeeds;
  #attached: readonly Attached[] = [];
  #resync: Timer | undefined;
  #startup: Startup | undefined;
  #working = false;

  constructor(parts: Parts<T>) {
    const { name, kind, host, options } = parts;
    const metrics = host.metrics ?? noMetrics;
    this.name = name;
    this.kind = kind;
    this.leaderOnly = options.leaderOnly;
    this.#parts = parts;
    this.#observer = controllerMetrics(metrics, name);
    this.#log = host.log.child({ controller: name });
    this.#external = new ExternalFeeds(parts.external);
    const { clock, random } = host;
    this.#queue = new WorkQueue({
      clock,
      random,
      backoff: options.backoff,
      ...(options.rate ? { rate: options.rate } : {}),
      observer: queueMetrics(metrics, name),
    });
    this.#stores = new OwnStores(host.cache);
    this.#passes = new Passes({
      ...parts,
      cache: this.#stores,
      queue: this.#queue,
      observer: this.#observer,
      log: this.#log,
    });
    this.#sharder =
      options.sharding &&
      host.sharderFor(name, options.sharding, {
        gained: (shard) => this.#gained(shard),
        drained: (shard) => this.#drained(shard),
      });
  }

  /** See {@link Controller}. Before the workers start, the queue only fills. */
  get idle(): boolean {
    return this.#queue.idle && this.#external.idle;
  }

  enqueue(key: ObjectKey, delay = 0): void {
    if (delay > 0) this.#queue.addAfter(keyString(key), delay);
    else this.#add(keyString(key), 'user');
  }

  get declared(): DeclaredController {
    const { sources, options, actor } = this.#parts;
    const kinds = (use: Source['use']): readonly DeclaredKind[] =>
      sources
        .filter((source) => source.use === use)
        .map(({ kind, namespaces }) => ({ kind, ...(namespaces ? { namespaces } : {}) }));
    const { sharding } = options;
    return {
      name: this.name,
      for: kinds('for')[0] ?? { kind: this.kind },
      owns: kinds('owns'),
      watches: kinds('watches'),
      ...(actor ? { actor } : {}),
      ...(sharding ? { sharding } : {}),
    };
  }

  readonly #heed: Enqueue = (key, lane, kind, event) => {
    const text = keyString(key);
    if (!this.#passes.workOf(text)?.claims(kind, event, lane)) this.#collect(text, lane);
  };

  /** Adds the key of an event, with `debounce` only when the burst that it belongs to is over. The first listing is no burst. */
  #collect(key: string, lane: Lane): void {
    const { debounce } = this.#parts.options;
    if (debounce === 0 || lane === 'resync') this.#add(key, lane);
    else if (this.#isOurs(key)) this.#queue.collect(key, debounce, lane);
  }

  /** Keys of shards that are another's are dropped: all are looked at again when a shard comes. */
  #add(key: string, lane: Lane): void {
    if (this.#isOurs(key)) this.#queue.add(key, lane);
  }

  /** Whether a key is worked here: all are, where they are not shared out. */
  #isOurs(key: string): boolean {
    return !this.#sharder || this.#sharder.leadOf(key) !== undefined;
  }

  #gained(shard: number): void {
    for (const key of this.#keysOf(shard)) this.#queue.add(key, 'requeue');
  }

  async #drained(shard: number): Promise<void> {
    await this.#passes.ended((key) => this.#sharder?.shardOf(key) === shard);
    for (const key of this.#keysOf(shard)) this.#forget(key);
  }

  #keysOf(shard: number): readonly string[] {
    const all = this.#attached[0]?.informer.store.list() ?? [];
    return [...all].map((object) => keyString(keyOf(object))).filter((key) => this.#sharder?.shardOf(key) === shard);
  }

  #forget(key: string): void {
    this.#queue.forget(key);
    this.#parts.reconciler.forget?.(parseKey(key));
  }

  /**
   * Starts the sources; resolves when all have synced and the queue holds what was there.
   * @throws KindsNotServed when that takes too long and the option `startup` is `fail`
   */
  async attach(): Promise<void> {
    const { host, sources, options } = this.#parts;
    this.#attached = sources.map((source) => source.attach(host.cache));
    for (const { informer } of this.#attached) this.#stores.add(informer);
    for (const source of this.#attached) source.feed(this.#heed, this.#stores);
    this.#startup = new Startup(this.#attached, host.clock, this.#log);
    await this.#startup.synced(this.name, options.startupTimeout);
  }

  /** Starts the workers. Call after {@link attach} has resolved. */
  work(): void {
    if (this.#working || this.#passes.stopped) return;
    this.#working = true;
    const { workers } = this.#parts.options;
    this.#observer.workers(workers);
    this.#sharder?.start();
    this.#startExternal();
    for (let i = 0; i < workers; i++) void this.#worker();
    this.#armResync();
  }

  #startExternal(): void {
    const { clock, random } = this.#parts.host;
    const enqueue = (key: ObjectKey, lane: Lane = 'child') => this.#collect(keyString(key), lane);
    this.#external.start({ enqueue, cache: this.#stores, clock, random, log: this.#log });
  }

  /**
   * Stops the sources and hands out no more keys; waits for running reconciles, at most `deadline` milliseconds, then
   * aborts them. With a deadline of 0 they are aborted at once.
   */
  async stop(deadline: number): Promise<void> {
    this.#resync?.cancel();
    this.#startup?.cancel();
    this.#external.stop(new ControllerStopped(this.name));
    for (const source of this.#attached) source.detach();
    this.#queue.close();
    await this.#passes.stop(deadline);
    await this.#sharder?.stop();
    // Only now: a reconcile under way reads the stores to its end.
    for (const { informer } of this.#attached) informer.release();
    this.#attached = [];
    this.#parts.reconciler.stop?.();
  }

  async #worker(): Promise<void> {
    for (;;) {
      const taken = await this.#queue.take();
      if (!taken) return;
      if (this.#passedOn(taken.key)) continue;
      await this.#passes.run(taken, this.#sharder?.leadOf(taken.key));
      await this.#parts.host.clock.turn();
    }
  }

  /** Whether a key's shard has gone to another since it was queued; then nothing of it is kept. */
  #passedOn(key: string): boolean {
    if (this.#isOurs(key)) return false;
    this.#queue.done(key, 'ok');
    this.#forget(key);
    return true;
  }

  /** Every object comes again in the lowest lane; a tenth of jitter keeps controllers apart. */
  #armResync(): void {
    const { host, options, kind } = this.#parts;
    if (options.resync === undefined) return;
    const period = options.resync * (1 + host.random.next() / 10);
    this.#resync = host.clock.after(period, () => {
      const own = this.#attached[0]?.informer;
      if (own) for (const object of own.store.list()) this.#add(keyString(keyOf(object)), 'resync');
      this.#log.debug({ kind: kind.kind }, 'resync');
      this.#armResync();
    });
  }
}
