import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import type { Tracer } from '@opentelemetry/api';
import type { Cache } from '../cache/types.ts';
import type { Client } from '../client/types.ts';
import {
  ApiError,
  type Clock,
  keyOf,
  keyString,
  type Logger,
  type ObjectKey,
  parseKey,
  type Random,
  type Timer,
} from '../core/index.ts';
import type { Elector } from '../election/index.ts';
import { type MetricsRegistry, noMetrics } from '../metrics/index.ts';
import { type Lane, type Outcome, queueMetrics, type Taken, WorkQueue } from '../queue/index.ts';
import type { Sharder, ShardHandlers, ShardingOptions } from '../sharding/index.ts';
import { inSpan, recordError } from '../tracing/index.ts';
import { ControllerStopped, KindsNotServed, ReconcileTimeout } from './errors.ts';
import { ExternalFeeds, type ExternalSource } from './external-source.ts';
import { type ControllerObserver, controllerMetrics, type ReconcileResult } from './metrics.ts';
import type { ResolvedOptions } from './options.ts';
import type { Attached, Source } from './source.ts';
import { type Ended, reconcileAttributes } from './trace.ts';
import type { Controller, DeclaredController, Reconciler, Result } from './types.ts';
import { Work } from './work.ts';

/** What a controller takes from its manager. */
export interface ControllerHost {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: MetricsRegistry;
  /** Makes each reconcile a span; absent: none is made. */
  readonly tracer?: Tracer;
  /** The client for one reconcile. */
  clientFor(use: ClientUse): Client;
  /** Takes part in sharing the keys of a controller out. */
  sharderFor(controller: string, options: ShardingOptions, handlers: ShardHandlers): Sharder;
}

/** What the client of one reconcile must heed. */
export interface ClientUse {
  /** Ends its calls, and refuses later ones, when aborted. */
  readonly signal: AbortSignal;
  /** Whether its writes are fenced: only the leader's pass. */
  readonly leaderOnly: boolean;
  /** Fences its writes instead: the lead of the key's shard. */
  readonly lead?: Elector;
  /** The work it is for: comes with the store events of its writes, and is told of them before and after. */
  readonly work: Work;
}

interface Parts<T extends KubeObject> {
  readonly name: string;
  readonly kind: Kind<T>;
  readonly host: ControllerHost;
  readonly options: ResolvedOptions;
  /** The controller's own kind first. */
  readonly sources: readonly Source[];
  readonly external: readonly ExternalSource[];
  readonly reconciler: Reconciler;
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
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** What is being worked, by key. */
  readonly #works = new Map<string, Work>();
  readonly #sharder: Sharder | undefined;
  readonly #external: ExternalFeeds;
  #attached: readonly Attached[] = [];
  #resync: Timer | undefined;
  #waiting: Timer | undefined;
  #startup: Timer | undefined;
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
    const { sources, options } = this.#parts;
    const kinds = (use: Source['use']) => sources.filter((source) => source.use === use).map(({ kind }) => kind);
    const { sharding } = options;
    return {
      name: this.name,
      for: this.kind,
      owns: kinds('owns'),
      watches: kinds('watches'),
      ...(sharding ? { sharding } : {}),
    };
  }

  /** The shards whose keys are worked here; `undefined`: it is not sharded, so all. */
  get shards(): readonly number[] | undefined {
    return this.#sharder?.held;
  }

  /** Adds the key of an event, with `debounce` only when the burst that it belongs to is over. The first listing is no burst. */
  #collect(key: string, lane: Lane): void {
    const { debounce } = this.#parts.options;
    if (debounce === 0 || lane === 'resync') this.#add(key, lane);
    else if (!this.#sharder || this.#sharder.leadOf(key)) this.#queue.addAfter(key, debounce, lane);
  }

  /** Keys of shards that are another's are dropped: all are looked at again when a shard comes. */
  #add(key: string, lane: Lane): void {
    if (!this.#sharder || this.#sharder.leadOf(key)) this.#queue.add(key, lane);
  }

  #gained(shard: number): void {
    for (const object of this.#attached[0]?.informer.store.list() ?? []) {
      const key = keyString(keyOf(object));
      if (this.#sharder?.shardOf(key) === shard) this.#queue.add(key, 'requeue');
    }
  }

  async #drained(shard: number): Promise<void> {
    const running = [...this.#works].filter(([key]) => this.#sharder?.shardOf(key) === shard);
    await Promise.all(running.map(([, work]) => work.ended));
  }

  /**
   * Starts the sources; resolves when all have synced and the queue holds what was there.
   * @throws KindsNotServed when that takes too long and the option `startup` is `fail`
   */
  async attach(): Promise<void> {
    const { host, sources } = this.#parts;
    this.#attached = sources.map((source) =>
      source.attach(host.cache, (key, lane, kind, event) => {
        const text = keyString(key);
        if (!this.#works.get(text)?.claims(kind, event, lane)) this.#collect(text, lane);
      }),
    );
    this.#armWaiting(firstWaitingLog);
    const synced = Promise.all(this.#attached.map(({ informer }) => informer.synced));
    await Promise.race([synced, this.#notServed()]);
    this.#waiting?.cancel();
    this.#startup?.cancel();
  }

  /** Rejects when the time for starting is over; for ever pending when there is no such time. */
  #notServed(): Promise<never> {
    const { host, options } = this.#parts;
    const ms = options.startupTimeout;
    return new Promise((_resolve, reject) => {
      if (ms === undefined) return;
      this.#startup = host.clock.after(ms, () => reject(new KindsNotServed(this.name, this.#lateKinds(), ms)));
    });
  }

  #lateKinds(): string[] {
    return this.#attached
      .filter(({ informer }) => !informer.hasSynced)
      .map(({ informer }) => resourceName(informer.kind));
  }

  /** Says now and then which kinds have not been listed yet: a missing CRD or permission shows nowhere else. */
  #armWaiting(after: number): void {
    this.#waiting = this.#parts.host.clock.after(after, () => {
      const kinds = this.#lateKinds();
      this.#log.warn({ kinds }, 'workers wait for the first listing of these kinds; are they installed and readable?');
      this.#armWaiting(nextWaitingLog);
    });
  }

  /** Starts the workers. Call after {@link attach} has resolved. */
  work(): void {
    if (this.#working || this.#stop.signal.aborted) return;
    this.#working = true;
    const { workers } = this.#parts.options;
    this.#observer.workers(workers);
    this.#sharder?.start();
    this.#startExternal();
    for (let i = 0; i < workers; i++) void this.#worker();
    this.#armResync();
  }

  #startExternal(): void {
    const { cache, clock, random } = this.#parts.host;
    const enqueue = (key: ObjectKey, lane: Lane = 'child') => this.#collect(keyString(key), lane);
    this.#external.start({ enqueue, cache, clock, random, log: this.#log });
  }

  /**
   * Stops the sources and hands out no more keys; waits for running reconciles, at most `deadline` milliseconds, then
   * aborts them. With a deadline of 0 they are aborted at once.
   */
  async stop(deadline: number): Promise<void> {
    this.#resync?.cancel();
    this.#waiting?.cancel();
    this.#startup?.cancel();
    this.#external.stop(new ControllerStopped(this.name));
    for (const source of this.#attached) source.detach();
    this.#queue.close();
    if (this.#running.size > 0 && deadline > 0) await this.#settled(deadline);
    this.#stop.abort(new ControllerStopped(this.name));
    if (this.#running.size > 0) await this.#settled(abortGrace);
    await this.#sharder?.stop();
    // Only now: a reconcile under way reads the stores to its end.
    for (const { informer } of this.#attached) informer.release();
    this.#attached = [];
    this.#parts.reconciler.stop?.();
  }

  async #settled(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#parts.host.clock.after(ms, resolve);
    await Promise.race([promise, Promise.allSettled(this.#running)]);
    timer.cancel();
  }

  async #worker(): Promise<void> {
    for (;;) {
      const taken = await this.#queue.take();
      if (!taken) return;
      if (this.#passedOn(taken.key)) continue;
      await this.#run(taken);
      await this.#parts.host.clock.turn();
    }
  }

  /** Whether a key's shard has gone to another since it was queued; then nothing of it is kept. */
  #passedOn(key: string): boolean {
    if (!this.#sharder || this.#sharder.leadOf(key)) return false;
    this.#queue.done(key, 'ok');
    this.#queue.forget(key);
    return true;
  }

  /**
   * One reconcile. Resolves when it has ended or has ignored its abort for a while: then the worker goes on, but the
   * key stays taken until the reconcile really ends, so that no key is ever worked twice at once.
   */
  #run(taken: Taken): Promise<void> {
    const { clock } = this.#parts.host;
    const { timeout } = this.#parts.options;
    const abort = new AbortController();
    const released = Promise.withResolvers<void>();
    const onStop = () => abort.abort(this.#stop.signal.reason);
    if (this.#stop.signal.aborted) onStop();
    else this.#stop.signal.addEventListener('abort', onStop, { once: true });
    const lead = this.#sharder?.leadOf(taken.key);
    const onLost = () => abort.abort(lead?.signal.reason);
    lead?.signal.addEventListener('abort', onLost, { once: true });
    let grace: Timer | undefined;
    const timer = clock.after(timeout, () => {
      this.#observer.timedOut();
      abort.abort(new ReconcileTimeout(this.name, taken.key, timeout, this.#works.get(taken.key)?.waitingFor));
      grace = clock.after(abortGrace, () => {
        this.#log.error({ key: taken.key }, 'reconcile ignores its abort signal; its key stays blocked until it ends');
        released.resolve();
      });
    });
    const work = this.#traced(taken, abort.signal, lead).finally(() => {
      timer.cancel();
      grace?.cancel();
      this.#stop.signal.removeEventListener('abort', onStop);
      lead?.signal.removeEventListener('abort', onLost);
      this.#running.delete(work);
      released.resolve();
    });
    this.#running.add(work);
    return released.promise;
  }

  /** The reconcile; a trace of its own when there is a tracer, since many things may have made it due. */
  async #traced(taken: Taken, signal: AbortSignal, lead: Elector | undefined): Promise<void> {
    const { tracer } = this.#parts.host;
    if (!tracer) {
      await this.#reconcile(taken, signal, lead);
      return;
    }
    const attributes = reconcileAttributes(this.name, this.kind, taken);
    await inSpan(tracer, `reconcile ${this.name}`, { attributes, root: true }, async (span) => {
      const { result, error } = await this.#reconcile(taken, signal, lead);
      span.setAttribute('coxswain.result', result);
      if (result === 'error') recordError(span, error);
    });
  }

  /** Never rejects: how it ended is what it answers. */
  async #reconcile(taken: Taken, signal: AbortSignal, lead: Elector | undefined): Promise<Ended> {
    const { host, reconciler, options } = this.#parts;
    const started = host.clock.monotonic();
    const work = new Work(taken.key, host.clock, (lane) => this.#queue.add(taken.key, lane));
    this.#works.set(taken.key, work);
    this.#observer.began();
    let outcome: Outcome;
    let result: ReconcileResult;
    let cause: unknown;
    try {
      const key = parseKey(taken.key);
      const answer = await reconciler.reconcile({
        key,
        client: host.clientFor({ signal, leaderOnly: options.leaderOnly, work, ...(lead ? { lead } : {}) }),
        cache: host.cache,
        clock: host.clock,
        log: this.#log.child({ key: taken.key }),
        signal,
      });
      if (signal.aborted) throw signal.reason;
      outcome = outcomeOf(answer ?? undefined);
      result = outcome === 'ok' ? 'success' : 'requeue_after';
    } catch (error) {
      cause = signal.aborted ? signal.reason : error;
      outcome = this.#failed(taken, error, cause);
      result = 'error';
    }
    this.#works.delete(taken.key);
    work.end();
    this.#observer.ended(result, host.clock.monotonic() - started);
    this.#queue.done(taken.key, outcome);
    return { result, error: cause };
  }

  #failed(taken: Taken, error: unknown, cause: unknown): Outcome {
    if (!(cause instanceof ControllerStopped)) {
      this.#log.error({ key: taken.key, failures: taken.failures + 1, err: cause }, 'reconcile failed; it is retried');
    }
    const atLeast = error instanceof ApiError ? error.retryAfter : undefined;
    return atLeast === undefined ? 'failed' : { failed: true, atLeast };
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

/** Milliseconds that an aborted reconcile has to end before it is given up. */
const abortGrace = 1_000;
/** Milliseconds until the log says what is waited for, and between two times. */
const firstWaitingLog = 10_000;
const nextWaitingLog = 60_000;

/** @throws RangeError for a delay that is no number: taken as none, it would run the key again and again without a pause */
function outcomeOf(answer: Result): Outcome {
  if (!answer) return 'ok';
  if (Number.isFinite(answer.requeueAfter)) return { after: answer.requeueAfter };
  throw new RangeError(`reconcile answered requeueAfter ${answer.requeueAfter}; give milliseconds, or nothing`);
}
