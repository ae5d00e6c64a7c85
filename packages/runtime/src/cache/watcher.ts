import type { KubeList, KubeObject } from '@coxswain/k8s';
import type { Resource, WatchOptions } from '../client/index.ts';
import {
  ApiError,
  type Clock,
  isExpired,
  type Logger,
  linkedController,
  messageOf,
  type Random,
  sleep,
} from '../core/index.ts';
import { Backoff } from './backoff.ts';
import { InformerHealth } from './health.ts';
import { type Listing, ListingWay } from './listing-way.ts';
import { Outage } from './outage.ts';
import type { Refusals } from './refusals.ts';
import { ShortLives } from './short-lives.ts';
import { StreamReader } from './stream-reader.ts';
import { isBusy, isOutage, isRefusal, isTooMuch } from './watch-errors.ts';
import { WatchFailures } from './watch-failures.ts';
import { Watchdog } from './watchdog.ts';

/** Where a watcher puts what it learns. All calls are synchronous and in order. */
export interface WatchSink<T> {
  /** The place to go on from: the version of the last thing the watch brought. */
  readonly resourceVersion: string;
  beginListing(): void;
  listed(object: T): void;
  /** @returns false: the server's history has gone back, list again */
  endListing(version: string): boolean;
  changed(object: T): void;
  removed(object: T): void;
  /** @returns false: as for `endListing` */
  bookmark(version: string): boolean;
}

/** What a watcher follows, and what it waits and draws with. */
export interface WatcherOptions<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly selection: Pick<WatchOptions, 'namespace' | 'labels' | 'fields' | 'metadataOnly' | 'keepManagedFields'>;
  readonly sink: WatchSink<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Is told how it goes; default: one of its own. */
  readonly health?: InformerHealth;
  /** Tells of refusals of the kind; default: they are told as any failure is. */
  readonly refusals?: Refusals;
  /** Shared with the other watchers of the server; default: one of its own. */
  readonly outage?: Outage;
}

type State =
  | { readonly step: Listing }
  /** Follow changes from where the sink is. */
  | { readonly step: 'watch' }
  /** Something failed: wait, then go on with `next`; when the server was out of reach, until it is heard of again. */
  | { readonly step: 'wait'; readonly ms: number; readonly next: 'list' | 'watch'; readonly outage: boolean }
  | { readonly step: 'stopped' };

/** A watch that ends sooner than this without bringing anything counts as failed. */
const fastEnd = 5_000;
/** So many failures from the same version, one after the other, and the version is taken as expired. */
const failuresUntilListing = 3;
/** Milliseconds a probe may take. */
const probeTimeout = 5_000;

/**
 * Keeps a sink equal to what the server has. Never gives up: each failure is logged, waited out and tried again.
 *
 * ```
 *   list ──(complete)──→ watch ──(ends, breaks, silent)── wait ──→ watch
 *     │ broke off 3 times ¹  │ 410, or 3 failures from one version
 *     ↓                      └────────────────────────────────────→ list | stream | pages
 *   stream ──(complete, and goes on as a watch)
 *     │ refused, or broke off 3 times
 *     ↓
 *   pages ──(complete)──→ watch
 *
 *   ¹ or was too much for the server, which did not answer in time or failed; an hour later, what is listed again is listed the
 *     first way again
 * ```
 */
export class Watcher<T extends KubeObject> {
  readonly #options: WatcherOptions<T>;
  readonly #backoff: Backoff;
  readonly #health: InformerHealth;
  readonly #outage: Outage;
  readonly #waitOut: ReturnType<Outage['waiter']>;
  readonly #shortLives: ShortLives;
  readonly #failures: WatchFailures;
  readonly #way: ListingWay;
  #listedOnce = false;
  #failuresHere = 0;

  constructor(options: WatcherOptions<T>) {
    this.#options = options;
    this.#backoff = new Backoff(options.random);
    this.#health = options.health ?? new InformerHealth(options.clock);
    this.#outage = options.outage ?? new Outage(options.clock, options.random, options.log);
    this.#waitOut = this.#outage.waiter();
    this.#shortLives = new ShortLives(options.log);
    this.#failures = new WatchFailures({ ...options, outage: this.#outage });
    this.#way = new ListingWay(options.clock, options.resource.listStream ? 'list' : 'stream');
  }

  /** Runs until the signal is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let state: State = this.#list();
    while (state.step !== 'stopped') {
      try {
        state = await this.#step(state, signal);
      } catch (error) {
        state = signal.aborted ? { step: 'stopped' } : this.#failed(error, state.step);
      }
      if (signal.aborted) state = { step: 'stopped' };
    }
  }

  async #step(state: State, signal: AbortSignal): Promise<State> {
    if (state.step !== 'wait') this.#failures.tries();
    switch (state.step) {
      case 'list':
      case 'stream':
        return this.#follow(signal, state.step);
      case 'pages':
        return this.#page(signal);
      case 'watch':
        return this.#follow(signal, 'watch');
      case 'wait':
        await (state.outage ? this.#waitOut(state.ms, signal) : sleep(this.#options.clock, state.ms, signal));
        return state.next === 'list' ? this.#list() : { step: 'watch' };
      case 'stopped':
        return state;
    }
  }

  #list(): State {
    this.#failuresHere = 0;
    if (this.#listedOnce) this.#health.count('relists');
    return { step: this.#way.begin() };
  }

  async #page(signal: AbortSignal): Promise<State> {
    const { resource, selection, sink } = this.#options;
    sink.beginListing();
    const fetch = (token?: string) => resource.list({ ...selection, signal, ...(token ? { continue: token } : {}) });
    let version = '';
    for (let next: Promise<KubeList<T>> | undefined = fetch(); next; ) {
      const { items, metadata }: KubeList<T> = await next;
      this.#contact();
      this.#health.count('events', items.length);
      version = metadata.resourceVersion ?? version;
      // The server is at the next page while this one is taken in.
      next = metadata.continue ? fetch(metadata.continue) : undefined;
      // Nobody waits for it when this page cannot be taken in.
      next?.catch(() => {});
      for (const item of items) sink.listed(item);
    }
    this.#listedOnce = true;
    return sink.endListing(version) ? { step: 'watch' } : this.#list();
  }

  async #follow(signal: AbortSignal, step: 'list' | 'stream' | 'watch'): Promise<State> {
    const { clock, random, sink } = this.#options;
    const timeoutSeconds = Math.round(240 + 240 * random.next());
    const { controller, unlink } = linkedController(signal);
    const watchdog = new Watchdog({
      clock,
      longest: (timeoutSeconds + 10) * 1000,
      probe: (silent) => this.#probe(silent, controller.signal),
      bite: (reason) => controller.abort(reason),
    });
    const started = clock.monotonic();
    const reader = new StreamReader(sink, step !== 'watch');
    let opened: number | undefined;
    if (step !== 'watch') sink.beginListing();
    try {
      const batches = await this.#open(step, timeoutSeconds, controller.signal);
      opened = clock.monotonic();
      this.#contact();
      if (step !== 'list') this.#watches();
      for await (const events of batches) {
        watchdog.feed();
        this.#contact();
        const whole = reader.take(events);
        this.#health.count('events', reader.takenLast);
        if (!whole) return this.#list();
        if (reader.complete) this.#listedOnce = true;
        if (reader.progressed) this.#progress();
        if (reader.bookmarked) watchdog.punctual();
        // many watches starting at once, or a long list, leave room for everything else
        const turn = clock.turn();
        if (turn) await turn;
      }
      controller.signal.throwIfAborted();
      return this.#ended(step, reader, clock.monotonic() - started);
    } catch (error) {
      // stopping is no failure
      if (signal.aborted) return { step: 'stopped' };
      if (opened !== undefined && clock.monotonic() - opened >= fastEnd) this.#backoff.reset();
      if (step === 'list' && !reader.complete && (opened !== undefined || isTooMuch(error))) this.#way.brokeOff();
      return this.#failed(error, reader.complete ? 'watch' : step);
    } finally {
      if (step !== 'list' && opened !== undefined && !signal.aborted)
        this.#shortLives.lived(clock.monotonic() - opened);
      // Ends the stream too when the iteration was left early.
      controller.abort();
      watchdog.stop();
      unlink();
    }
  }

  #open(step: 'list' | 'stream' | 'watch', timeoutSeconds: number, signal: AbortSignal) {
    const { resource, selection, sink } = this.#options;
    if (step === 'list' && resource.listStream) return resource.listStream({ ...selection, signal });
    const start: WatchOptions =
      step === 'watch' ? { resourceVersion: sink.resourceVersion } : { sendInitialEvents: true };
    return resource.watch({ ...selection, ...start, allowBookmarks: true, timeoutSeconds, signal });
  }

  /** Only now is nothing refused: who may list may yet not watch. */
  #watches(): void {
    this.#health.count('watches');
    this.#options.refusals?.over();
  }

  /** Whether the server answers at all while a watch is silent. Never rejects; what failed is told and answered. */
  async #probe(silent: number, signal: AbortSignal): Promise<unknown> {
    const { resource, selection, log } = this.#options;
    // A label selector could make one object a long search.
    const { labels: _, ...cheap } = selection;
    try {
      await resource.list({ ...cheap, metadataOnly: true, limit: 1, timeout: probeTimeout, signal });
      this.#contact();
      return undefined;
    } catch (error) {
      if (!signal.aborted)
        log.warn(
          { err: error, silentMs: Math.round(silent), lagMs: Math.round(this.#health.lag) },
          'the watch is silent, and the server did not answer a probe',
        );
      return error;
    }
  }

  #contact(): void {
    this.#failures.heard();
    this.#health.contact();
    this.#outage.heard();
  }

  #progress(): void {
    this.#backoff.reset();
    this.#failuresHere = 0;
    this.#way.worked();
  }

  /** The server closed the stream, as it does when its time is up. */
  #ended(step: 'list' | 'stream' | 'watch', reader: StreamReader<T>, lived: number): State {
    if (reader.complete && (step === 'list' || reader.progressed || lived >= fastEnd)) {
      if (step !== 'list') this.#backoff.reset();
      return { step: 'watch' };
    }
    if (!reader.complete) {
      this.#way.brokeOff();
      return this.#wait('list', new Error('the streamed list ended before it was complete'));
    }
    return this.#waitHere(new Error('the watch ended at once'));
  }

  #failed(error: unknown, step: State['step']): State {
    if (step === 'stream' && isRefusal(error)) {
      this.#options.log.info({}, 'the server does not stream lists; listing by page');
      this.#way.leave();
      return this.#list();
    }
    if (step !== 'watch') return this.#wait('list', error);
    if (isExpired(error)) return this.#backoff.attempts === 0 ? this.#relistAfter(error) : this.#wait('list', error);
    if (error instanceof ApiError && !isBusy(error)) return this.#waitHere(error);
    return this.#wait('watch', error);
  }

  /** The first time the version is too old, list at once; from then on with growing pauses, until a watch brings something. */
  #relistAfter(error: unknown): State {
    this.#backoff.next();
    this.#health.count('restarts');
    this.#options.log.info({ said: messageOf(error) }, 'the watch is too far behind; listing again');
    return this.#list();
  }

  /** A failure that may be due to the version we watch from: some servers never say 410. */
  #waitHere(error: unknown): State {
    return this.#wait(++this.#failuresHere >= failuresUntilListing ? 'list' : 'watch', error);
  }

  #wait(next: 'list' | 'watch', error: unknown): State {
    const retryAfter = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
    const ms = Math.max(retryAfter, this.#backoff.next());
    this.#health.count('restarts');
    this.#failures.tell(error, { next, waitMs: Math.round(ms), attempts: this.#backoff.attempts });
    return { step: 'wait', ms, next, outage: retryAfter === 0 && isOutage(error) };
  }
}
