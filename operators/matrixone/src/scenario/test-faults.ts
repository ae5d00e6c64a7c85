import { ConnectionError, type Transport, type TransportRequest, type WatchEvent } from '@coxswain/runtime/client';
import { apiError, type Clock, type Random, seededRandom, sleep } from '@coxswain/runtime/core';
import { type Cut, type CutTransport, cutTransport } from '@coxswain/testing';

/** What happens to the operators of one run. All of it follows from the seed. */
export interface FaultPlan {
  readonly seed: number;
  /** Operators that act at once, none of which knows of the others: what an old leader does that has not noticed that it is none. */
  readonly operators: 1 | 2;
  /** Where the first processes end, one after the other; each is followed by another one. */
  readonly cuts: readonly Cut[];
  /** Share of the calls that fail, half of them after they took effect. */
  readonly failing: number;
  /** Share of the calls whose answers come up to 5 s late. */
  readonly late: number;
  /** Share of the looks at a watch in which it is late (up to 20 s), breaks, or is told that it is too far behind. */
  readonly watches: number;
  /** Share of the steps after which a user goes on before they have come to their end. */
  readonly haste: number;
}

/** Nothing happens. */
export const peace: FaultPlan = { seed: 0, operators: 1, cuts: [], failing: 0, late: 0, watches: 0, haste: 0 };

/** @param writes of a run without faults, among which processes end */
export function faultPlan(seed: number, writes: number): FaultPlan {
  const random = seededRandom(seed);
  const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random.next() * all.length)] as T;
  const cut = (): Cut => ({ write: 1 + Math.floor(random.next() * writes), when: oneOf(['before', 'after']) });
  return {
    seed,
    operators: oneOf([1, 1, 2]),
    cuts: Array.from({ length: oneOf([0, 1, 1, 2, 3]) }, cut),
    failing: oneOf([0, 0.03, 0.1, 0.2]),
    late: oneOf([0, 0, 0.1, 0.3]),
    watches: oneOf([0, 0.05, 0.2]),
    haste: 0.3,
  };
}

/** What a server or the way to it can answer to any call. */
const refusals = [
  () => apiError(409, 'Conflict', 'the object has been modified; please apply your changes to the latest version'),
  () => apiError(429, 'TooManyRequests', 'too many requests, please try again later', { retryAfterSeconds: 1 }),
  () => apiError(500, 'InternalError', 'internal error occurred'),
  () => apiError(504, 'Timeout', 'the request did not complete within the allotted time'),
  () => new ConnectionError('the connection was reset'),
] as const;

/** A conflict is an answer about the object: nothing has taken effect then. */
const afterEffect = refusals.slice(2);

/** What one operator has between itself and the server, until `over()`. */
export class Faults {
  readonly #plan: FaultPlan;
  readonly #clock: Clock;
  readonly #random: Random;
  #over = false;

  constructor(plan: FaultPlan, clock: Clock) {
    this.#plan = plan;
    this.#clock = clock;
    this.#random = seededRandom(plan.seed ^ 0x5eed);
  }

  /** From now on all goes well; what is late comes in its time. */
  over(): void {
    this.#over = true;
  }

  /** Whether a call to somebody else fails. */
  strikes(): boolean {
    return this.#strikes(this.#plan.failing);
  }

  /** The way of one process to the server. */
  process(inner: Transport, cut: Cut | undefined): CutTransport {
    return cutTransport(this.#disturbed(inner), this.#over ? undefined : cut);
  }

  #disturbed(inner: Transport): Transport {
    return {
      send: async (request) => {
        // Two that see different things undo each other's work until the staler one learns: time must go on meanwhile.
        if (this.#plan.operators > 1) await sleep(this.#clock, this.#random.next() * 200, request.signal);
        if (this.#strikes(this.#plan.failing / 2)) throw this.#oneOf(refusals)();
        const answer = await inner.send(request);
        await this.#wait(this.#plan.late, 5_000, request);
        if (this.#strikes(this.#plan.failing / 2)) throw this.#oneOf(afterEffect)();
        return answer;
      },
      watch: async (request) => {
        if (this.#strikes(this.#plan.failing)) throw this.#oneOf(refusals)();
        return this.#watched(await inner.watch(request), request);
      },
      close: () => inner.close(),
    };
  }

  async *#watched(
    stream: AsyncIterable<readonly WatchEvent[]>,
    request: TransportRequest,
  ): AsyncGenerator<readonly WatchEvent[]> {
    for await (const batch of stream) {
      await this.#wait(this.#plan.watches, 20_000, request);
      yield batch;
      // What comes next is lost with the stream, and asked for again; or the place to go on from is forgotten.
      if (!this.#strikes(this.#plan.watches / 2)) continue;
      if (this.#random.next() < 0.5) throw new ConnectionError('the watch broke');
      yield [{ type: 'ERROR', object: apiError(410, 'Expired', 'too old resource version').status }];
      return;
    }
  }

  async #wait(share: number, most: number, { signal }: TransportRequest): Promise<void> {
    if (this.#strikes(share)) await sleep(this.#clock, this.#random.next() * most, signal);
  }

  #strikes(share: number): boolean {
    return !this.#over && share > 0 && this.#random.next() < share;
  }

  #oneOf<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random.next() * all.length)] as T;
  }
}
