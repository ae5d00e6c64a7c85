import type { Cache } from '../cache/types.ts';
import {
  checkFunction,
  checkNumber,
  checkOptions,
  cloneJson,
  deepEqual,
  keyString,
  type ObjectKey,
  optionNames,
  sleep,
  someMilliseconds,
  withTimeout,
} from '../core/index.ts';
import type { ExternalFeed, ExternalSource, ExternalSourceContext } from './external-source.ts';

/** What a polled source asks, and how often. */
export interface PollOptions<T> {
  /** In logs; default `poll`. */
  readonly name?: string;
  /** Milliseconds from the end of one listing to the next, and up to a tenth more. */
  readonly every: number;
  /**
   * All there is outside now, as JSON values. Pass `signal` on: it is aborted at `timeout` and when the controller stops. One that goes on
   * all the same is not listened to any more, and there is no other before it has ended.
   */
  list(context: { readonly signal: AbortSignal }): Promise<Iterable<T>> | Iterable<T>;
  /** Which keys an item concerns; default: the item is the key, with whatever else it says. */
  map?(item: T, context: { readonly cache: Cache }): Iterable<ObjectKey>;
  /** Milliseconds one listing may take; default 30 000. */
  readonly timeout?: number;
}

/**
 * Lists something outside now and then, and enqueues the keys whose items changed, came or went since the last listing;
 * at the first, all. The items of one listing are kept. A listing or mapping that fails is logged and tried again
 * after a pause that doubles from 1 s, to `every` or 5 minutes, whichever is more; what was known stands meanwhile. At most one is under way.
 * @throws RangeError for times that make no sense, TypeError for an option that nobody reads
 */
export function pollSource<T extends ObjectKey>(options: PollOptions<T>): ExternalSource;
export function pollSource<T>(options: PollOptions<T> & Required<Pick<PollOptions<T>, 'map'>>): ExternalSource;
export function pollSource<T>(options: PollOptions<T>): ExternalSource {
  const { name = 'poll', every, timeout = defaultTimeout } = options;
  const what = `poll source ${name}`;
  checkOptions(what, options, names);
  checkNumber(what, 'every', every ?? null, someMilliseconds);
  checkNumber(what, 'timeout', timeout, someMilliseconds);
  checkFunction(what, 'list', options.list ?? null);
  checkFunction(what, 'map', options.map, true);
  return { name, start: (context) => new Poll({ ...options, name, timeout }, context) };
}

const names = optionNames<PollOptions<unknown>>({ name: true, every: true, list: true, map: true, timeout: true });

interface Known<T> {
  readonly key: ObjectKey;
  readonly items: T[];
}

class Poll<T> implements ExternalFeed {
  readonly #options: PollOptions<T> & { readonly name: string; readonly timeout: number };
  readonly #context: ExternalSourceContext;
  #known: ReadonlyMap<string, Known<T>> | undefined;
  /** A listing that has not ended, though it may have been given up. */
  #listing: Promise<unknown> | undefined;
  #skipped = 0;
  #failures = 0;
  #idle = false;

  constructor(
    options: PollOptions<T> & { readonly name: string; readonly timeout: number },
    context: ExternalSourceContext,
  ) {
    this.#options = options;
    this.#context = context;
    void this.#run();
  }

  get idle(): boolean {
    return this.#idle;
  }

  async #run(): Promise<void> {
    const { clock, signal } = this.#context;
    while (!signal.aborted) {
      this.#idle = false;
      const pause = await this.#poll();
      this.#idle = true;
      // Rejects when stopped, which ends the loop.
      await sleep(clock, pause, signal).catch(() => {});
    }
  }

  /** @returns milliseconds to the next one */
  async #poll(): Promise<number> {
    const { clock, random, signal, log } = this.#context;
    const { name, every, timeout } = this.#options;
    if (this.#listing) return this.#skip();
    try {
      const listed = (within: AbortSignal) => this.#list(within);
      const found = await this.#byKey(await withTimeout(clock, timeout, `list of ${name}`, listed, signal));
      signal.throwIfAborted();
      this.#tell(found);
      this.#failures = 0;
      return every * (1 + random.next() / 10);
    } catch (error) {
      if (signal.aborted) return 0;
      const pause = this.#pause();
      const fields = { failures: this.#failures, again: Math.round(pause), err: error };
      log.error(fields, 'listing what is outside failed; what it told before stands, and it is tried again');
      return pause;
    }
  }

  #list(signal: AbortSignal): Promise<Iterable<T>> {
    const listing = (async () => this.#options.list({ signal }))();
    const ended = () => {
      this.#listing = undefined;
      this.#skipped = 0;
    };
    this.#listing = listing.then(ended, ended);
    return listing;
  }

  /** Nobody can end what ignores its signal; another beside it would only be one more. @returns milliseconds to the next look */
  #skip(): number {
    const { log } = this.#context;
    if (this.#skipped++ === 0) {
      log.error(
        {},
        'the listing before ignores its abort signal; none is begun until it ends. Pass the signal on to what it waits for',
      );
    }
    return this.#options.every;
  }

  async #byKey(items: Iterable<T>): Promise<ReadonlyMap<string, Known<T>>> {
    const { cache, clock } = this.#context;
    const { map } = this.#options;
    const found = new Map<string, Known<T>>();
    for (const item of items) {
      const keys = map ? map(item, { cache }) : [plainKey(item as T & ObjectKey)];
      // The lister may go on changing what it gave us.
      const copy = cloneJson(item);
      for (const key of keys) {
        const text = keyString(key);
        const known = found.get(text);
        if (known) known.items.push(copy);
        else found.set(text, { key, items: [copy] });
      }
      const turn = clock.turn();
      if (turn) await turn;
    }
    return found;
  }

  #tell(found: ReadonlyMap<string, Known<T>>): void {
    const before = this.#known;
    this.#known = found;
    const lane = before ? 'child' : 'resync';
    for (const [text, { key, items }] of found) {
      if (!deepEqual(before?.get(text)?.items, items)) this.#context.enqueue(key, lane);
    }
    for (const [text, { key }] of before ?? []) if (!found.has(text)) this.#context.enqueue(key);
  }

  #pause(): number {
    const most = Math.max(this.#options.every, longestPause);
    const full = Math.min(most, firstPause * 2 ** Math.min(this.#failures++, 40));
    return full * (1 - this.#context.random.next() / 2);
  }
}

const defaultTimeout = 30_000;
const firstPause = 1_000;
const longestPause = 300_000;

function plainKey({ namespace, name }: ObjectKey): ObjectKey {
  return namespace ? { namespace, name } : { name };
}
