import type { Clock } from '../core/index.ts';

/** Ways to learn all that there is, the better ones first. */
export type Listing =
  /** One LIST, taken while it arrives: costs a server half of what WatchList does. */
  | 'list'
  /** A watch that first streams the objects there are (WatchList), and is then followed. Has no time limit as long as it moves. */
  | 'stream'
  /** One LIST a page, from the server's storage. */
  | 'pages';

/** So many times in a row a list broke off before it was complete, and another way is taken. */
const brokenUntilNextWay = 3;
/** Milliseconds after which the first way is tried again: what was in its way may have been a bad hour, or an older server. */
const patience = 3_600_000;

/** Which way a watcher lists. */
export class ListingWay {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #first: Listing;
  #now: Listing;
  #broken = 0;
  /** When the last way was left. */
  #left = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, first: Listing) {
    this.#clock = clock;
    this.#first = first;
    this.#now = first;
  }

  /** The way to take for the listing that begins now. */
  begin(): Listing {
    if (this.#now === this.#first || this.#clock.monotonic() - this.#left < patience) return this.#now;
    this.#now = this.#first;
    // One more failure is enough: meanwhile the store is not kept up.
    this.#broken = brokenUntilNextWay - 1;
    return this.#now;
  }

  /** A server that knows nothing of streamed lists may just end them, and one that is slow cut a list off when its time is up. */
  brokeOff(): void {
    if (++this.#broken >= brokenUntilNextWay) this.leave();
  }

  /** The way is closed: the next one from now on. */
  leave(): void {
    this.#now = this.#now === 'list' ? 'stream' : 'pages';
    this.#broken = 0;
    this.#left = this.#clock.monotonic();
  }

  /** A listing led to a watch that brought something. */
  worked(): void {
    this.#broken = 0;
  }
}
