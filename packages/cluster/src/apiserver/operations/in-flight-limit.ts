import { type ApiError, apiError, type Clock, type Timer } from '@coxswain/runtime/core';
import { isAlwaysServed } from './always-served.ts';

export type RequestKind = 'mutating' | 'readOnly';

export interface InFlightOptions {
  readonly clock: Clock;
  /** Requests that may be worked on at a time; default 200. */
  readonly mutating?: number;
  /** Default 400. */
  readonly readOnly?: number;
  /** Requests of a kind that may wait for their turn; default 1000. */
  readonly queue?: number;
  /** Milliseconds that one may wait; default 5000. */
  readonly wait?: number;
}

interface Waiting {
  go(): void;
}

/** Requests of one kind: those that are worked on, and behind them those that wait, in the order in which they came. */
interface Lane {
  readonly limit: number;
  readonly waiting: Set<Waiting>;
  active: number;
}

/** What a request counts as; `undefined` for those that always get through. */
export function requestKindOf(method: string | undefined, path: string): RequestKind | undefined {
  if (isAlwaysServed(path)) return undefined;
  return method === 'GET' || method === 'HEAD' ? 'readOnly' : 'mutating';
}

/** Keeps a server from taking on more than it can do: what is too much waits, and what waits too long is turned away with 429. */
export class InFlightLimit {
  readonly #clock: Clock;
  readonly #queue: number;
  readonly #wait: number;
  readonly #lanes: Readonly<Record<RequestKind, Lane>>;
  #refused = 0;

  constructor({ clock, mutating = 200, readOnly = 400, queue = 1000, wait = 5000 }: InFlightOptions) {
    this.#clock = clock;
    this.#queue = queue;
    this.#wait = wait;
    const lane = (limit: number): Lane => ({ limit, waiting: new Set(), active: 0 });
    this.#lanes = { mutating: lane(mutating), readOnly: lane(readOnly) };
  }

  active(kind: RequestKind): number {
    return this.#lanes[kind].active;
  }

  queued(kind: RequestKind): number {
    return this.#lanes[kind].waiting.size;
  }

  /** Requests turned away so far. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Takes a place, at once or when one is free. Who has it must `leave`.
   * @throws ApiError 429 with retryAfterSeconds when there is none in time; the signal's reason when that comes first
   */
  enter(kind: RequestKind, signal: AbortSignal): void | Promise<void> {
    const lane = this.#lanes[kind];
    if (lane.active < lane.limit) {
      lane.active++;
      return;
    }
    if (lane.waiting.size >= this.#queue) throw this.#tooMany();
    return this.#queueUp(lane, signal);
  }

  leave(kind: RequestKind): void {
    const lane = this.#lanes[kind];
    const [next] = lane.waiting;
    // The place goes to the next without being free in between.
    if (next) next.go();
    else lane.active--;
  }

  #queueUp(lane: Lane, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        leave();
        reject(signal.reason);
      };
      const waiting: Waiting = {
        go() {
          leave();
          resolve();
        },
      };
      const timer: Timer = this.#clock.after(this.#wait, () => {
        leave();
        reject(this.#tooMany());
      });
      const leave = () => {
        lane.waiting.delete(waiting);
        timer.cancel();
        signal.removeEventListener('abort', onAbort);
      };
      lane.waiting.add(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #tooMany(): ApiError {
    this.#refused++;
    return apiError(429, 'TooManyRequests', 'Too many requests, please try again later.', { retryAfterSeconds: 1 });
  }
}
