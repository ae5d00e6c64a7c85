import type { Clock, Random, Timer } from '../core/index.ts';
import { type Delay, type Entry, newEntry, type Slot, type Ticket } from './entry.ts';
import { Fifo } from './fifo.ts';
import { TimerHeap, unset } from './heap.ts';
import { type Lane, lanes, rankOf } from './lane.ts';
import {
  type Backoff,
  checkQueueOptions,
  defaultAgeing,
  defaultBackoff,
  type QueueObserver,
  type QueueOptions,
} from './options.ts';
import { TokenBucket } from './token-bucket.ts';

/** A key handed out. */
export interface Taken {
  readonly key: string;
  /** The most urgent reason it was added for. */
  readonly lane: Lane;
  /** Consecutive failures before this run. */
  readonly failures: number;
  /** Milliseconds it waited in the queue, from when it was first added or became due. */
  readonly waited: number;
}

/**
 * How the work on a key ended: well; well, but look again after so many milliseconds; or with an error, to be retried
 * after the key's backoff (`atLeast` milliseconds when the server asked to wait).
 */
export type Outcome =
  | 'ok'
  | { readonly after: number }
  | 'failed'
  | { readonly failed: true; readonly atLeast: number };

const slots: readonly Slot[] = ['later', 'again', 'burst'];

/**
 * A queue of keys for workers. A key waits at most once and is never worked twice at the same time: added while it
 * is worked, it comes again when that is done. Four lanes by urgency, with ageing; delays and per-key backoff on the
 * injected clock. Runs caused by events do not consume backoff steps: while a retry is pending, a failed run leaves
 * it where it is.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: Backoff;
  readonly #ageing: number;
  readonly #observer: QueueObserver | undefined;
  readonly #bucket: TokenBucket | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #lanes: Readonly<Record<Lane, Fifo<Ticket>>>;
  readonly #depth: Record<Lane, number> = { user: 0, child: 0, requeue: 0, resync: 0 };
  readonly #delays = new TimerHeap<Delay>();
  readonly #waiters = new Fifo<(taken: Taken | undefined) => void>();
  #working = 0;
  #timer: { readonly due: number; readonly timer: Timer } | undefined;
  #closed = false;

  /** @throws TypeError or RangeError for options that make no sense */
  constructor(options: QueueOptions) {
    checkQueueOptions(options);
    this.#clock = options.clock;
    this.#random = options.random;
    this.#backoff = options.backoff ?? defaultBackoff;
    this.#ageing = options.ageing ?? defaultAgeing;
    this.#observer = options.observer;
    this.#bucket = options.rate && new TokenBucket(options.clock, options.rate);
    this.#lanes = { user: new Fifo(), child: new Fifo(), requeue: new Fifo(), resync: new Fifo() };
  }

  /** Keys waiting to be worked now. */
  get length(): number {
    return lanes.reduce((sum, lane) => sum + this.#depth[lane], 0);
  }

  /** Keys being worked. */
  get working(): number {
    return this.#working;
  }

  /** True when no key waits to be worked now and none is being worked. Keys due later do not count. */
  get idle(): boolean {
    return this.#working === 0 && this.length === 0;
  }

  /** Keys that the queue remembers for any reason: waiting, worked, delayed or with failures. */
  get size(): number {
    return this.#entries.size;
  }

  /** Adds a key now. In the queue already it keeps its place, or moves up when this lane serves it sooner. */
  add(key: string, lane: Lane = 'user'): void {
    if (this.#closed) return;
    const entry = this.#entry(key);
    this.#observer?.added(lane);
    if (entry.working) {
      if (entry.lane === undefined || rankOf(lane) < rankOf(entry.lane)) entry.lane = lane;
      return;
    }
    this.#enqueue(entry, lane);
    this.#pump();
  }

  /** Adds a key after `delay` milliseconds. Of several delays of one key the shortest counts, and the most urgent lane. */
  addAfter(key: string, delay: number, lane: Lane = 'requeue'): void {
    this.#addIn('later', key, delay, lane);
  }

  /** Adds a key `within` milliseconds, once for all who say so meanwhile. Delays of {@link addAfter} stand beside it. */
  collect(key: string, within: number, lane: Lane): void {
    this.#addIn('burst', key, within, lane);
  }

  #addIn(slot: 'later' | 'burst', key: string, delay: number, lane: Lane): void {
    if (this.#closed) return;
    if (delay <= 0) {
      this.add(key, lane);
      return;
    }
    const entry = this.#entry(key);
    const due = this.#clock.monotonic() + delay;
    const known = entry[slot];
    if (known && rankOf(lane) < rankOf(known.lane)) known.lane = lane;
    if (known && known.due <= due) return;
    const delayed = known ?? { entry, lane, ...unset };
    entry[slot] = delayed;
    this.#delays.set(delayed, due);
    this.#arm();
  }

  /** The next key, as soon as there is one; `undefined` once the queue is closed. Answer with {@link done}. */
  take(): Promise<Taken | undefined> {
    const taken = this.#closed ? undefined : this.#next();
    if (taken || this.#closed) return Promise.resolve(taken);
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Ends the work on a key. @throws when the key is not being worked */
  done(key: string, outcome: Outcome = 'ok'): void {
    const entry = this.#entries.get(key);
    if (!entry?.working) throw new Error(`work queue: done("${key}") without a take; each take is answered once`);
    const now = this.#clock.monotonic();
    entry.working = false;
    this.#working--;
    this.#observer?.finished(now - entry.started);
    if (!this.#closed) this.#settle(entry, outcome, now);
    if (entry.lane !== undefined) {
      const lane = entry.lane;
      entry.lane = undefined;
      this.#enqueue(entry, lane);
    }
    this.#forgetIfEmpty(entry);
    this.#pump();
  }

  /** Drops the delays and failures of a key, so that nothing of it stays. A key that waits or is worked goes on. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.failures = 0;
    for (const slot of slots) this.#drop(entry, slot);
    this.#forgetIfEmpty(entry);
  }

  /** Hands out nothing more and takes nothing more; work under way may still be answered with {@link done}. */
  close(): void {
    this.#closed = true;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#delays.clear();
    for (const entry of this.#entries.values()) {
      if (!entry.working) this.#entries.delete(entry.key);
      if (entry.lane !== undefined && !entry.working) this.#count(entry.lane, -1);
      entry.lane = undefined;
    }
    for (let waiter = this.#waiters.shift(); waiter; waiter = this.#waiters.shift()) waiter(undefined);
  }

  #entry(key: string): Entry {
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = newEntry(key);
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #enqueue(entry: Entry, lane: Lane): void {
    const now = this.#clock.monotonic();
    if (entry.lane === undefined) entry.added = now;
    else if (this.#rank(lane, now) >= this.#rank(entry.lane, entry.since)) return;
    else this.#count(entry.lane, -1);
    entry.lane = lane;
    entry.since = now;
    this.#lanes[lane].push({ entry, since: now });
    this.#count(lane, 1);
  }

  /** Smaller goes first: the time of arrival, put off by the lane. */
  #rank(lane: Lane, since: number): number {
    return since + rankOf(lane) * this.#ageing;
  }

  #count(lane: Lane, by: number): void {
    this.#depth[lane] += by;
    this.#observer?.depth(lane, this.#depth[lane]);
  }

  /** The ticket at the head of a lane, past those whose key has left it. */
  #head(lane: Lane): Ticket | undefined {
    const fifo = this.#lanes[lane];
    for (;;) {
      const ticket = fifo.first;
      if (!ticket) return undefined;
      const { entry } = ticket;
      if (entry.lane === lane && entry.since === ticket.since && !entry.working) return ticket;
      fifo.shift();
    }
  }

  #next(): Taken | undefined {
    let best: Lane | undefined;
    let bestRank = Number.POSITIVE_INFINITY;
    for (const lane of lanes) {
      const ticket = this.#head(lane);
      if (!ticket) continue;
      const rank = this.#rank(lane, ticket.since);
      if (rank < bestRank) [best, bestRank] = [lane, rank];
    }
    if (best === undefined) return undefined;
    if (this.#bucket && !this.#bucket.take()) {
      this.#arm();
      return undefined;
    }
    const entry = this.#lanes[best].shift()?.entry;
    return entry && this.#start(entry, best);
  }

  #start(entry: Entry, lane: Lane): Taken {
    const now = this.#clock.monotonic();
    this.#count(lane, -1);
    entry.lane = undefined;
    entry.working = true;
    entry.started = now;
    this.#working++;
    const waited = now - entry.added;
    this.#observer?.started(waited);
    for (const slot of slots) if (entry[slot] && entry[slot].due <= now) this.#drop(entry, slot);
    return { key: entry.key, lane, failures: entry.failures, waited };
  }

  #settle(entry: Entry, outcome: Outcome, now: number): void {
    const failed = outcome === 'failed' || (typeof outcome === 'object' && 'failed' in outcome);
    if (!failed) {
      entry.failures = 0;
      this.#drop(entry, 'again');
      if (outcome !== 'ok' && outcome.after > 0) this.#again(entry, now + outcome.after);
      else if (outcome !== 'ok') entry.lane ??= 'requeue';
      return;
    }
    // An event ran it before its retry was due: the retry stays, and no step is consumed.
    if (entry.failures > 0 && entry.again && entry.again.due > now) return;
    const atLeast = typeof outcome === 'object' ? outcome.atLeast : 0;
    this.#again(entry, now + Math.max(atLeast, this.#delay(entry.failures)));
    entry.failures++;
    this.#observer?.retried();
  }

  #delay(failures: number): number {
    const full = Math.min(this.#backoff.max, this.#backoff.min * 2 ** Math.min(failures, 40));
    return Math.max(this.#backoff.min, full * (1 - this.#random.next() / 2));
  }

  #again(entry: Entry, due: number): void {
    entry.again ??= { entry, lane: 'requeue', ...unset };
    this.#delays.set(entry.again, due);
    this.#arm();
  }

  #drop(entry: Entry, slot: Slot): void {
    const delay = entry[slot];
    if (!delay) return;
    this.#delays.remove(delay);
    entry[slot] = undefined;
  }

  #forgetIfEmpty(entry: Entry): void {
    const holds = entry.working || entry.lane !== undefined || entry.failures > 0 || slots.some((slot) => entry[slot]);
    if (!holds) this.#entries.delete(entry.key);
  }

  /** Gives keys to those who wait for one. */
  #pump(): void {
    while (this.#waiters.size > 0 && !this.#closed) {
      const taken = this.#next();
      if (!taken) return;
      this.#waiters.shift()?.(taken);
    }
  }

  /** Sets the one timer to the next delay, or to the next token when keys wait for it. */
  #arm(): void {
    if (this.#closed) return;
    const now = this.#clock.monotonic();
    let due = this.#delays.first?.due ?? Number.POSITIVE_INFINITY;
    if (this.#bucket && this.length > 0) due = Math.min(due, now + this.#bucket.wait);
    if (this.#timer && this.#timer.due <= due) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    if (due === Number.POSITIVE_INFINITY) return;
    this.#timer = { due, timer: this.#clock.after(due - now, () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let delay = this.#delays.first; delay && delay.due <= now; delay = this.#delays.first) {
      this.#delays.remove(delay);
      const { entry } = delay;
      for (const slot of slots) if (entry[slot] === delay) entry[slot] = undefined;
      this.add(entry.key, delay.lane);
    }
    this.#pump();
    this.#arm();
  }
}
