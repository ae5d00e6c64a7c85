import type { Clock } from '@coxswain/runtime/core';
import type { CnStoreService, LogStoreRecord } from '../cnstore/index.ts';

/** Milliseconds of silence before anybody is told: an election of HAKeeper takes seconds. */
export const silentUntilTold = 60_000;

type AskLogStores = NonNullable<CnStoreService['logStores']>;

interface Known {
  readonly said?: readonly LogStoreRecord[];
  /** Since when it has said nothing, by the monotonic clock; absent: it answered when it was asked last. */
  readonly silentSince?: number;
}

/** Asks the HAKeeper of each cluster for its log stores, and remembers what it said last, and for how long it has said nothing. */
export class LogKeeper {
  readonly #ask: AskLogStores;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(ask: AskLogStores, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** As `CnStoreService.logStores`. */
  readonly logStores: AskLogStores = async (haKeeper, age, signal) => {
    try {
      const said = await this.#ask(haKeeper, age, signal);
      this.#known.set(haKeeper, { said });
      return said;
    } catch (error) {
      // Who has lost patience knows nothing new.
      signal.throwIfAborted();
      this.#known.set(haKeeper, { silentSince: this.#clock.monotonic(), ...this.#known.get(haKeeper) });
      throw error;
    }
  };

  /** What it said when it last said anything; `undefined`: nothing that is remembered. */
  said(haKeeper: string): readonly LogStoreRecord[] | undefined {
    return this.#known.get(haKeeper)?.said;
  }

  /** Milliseconds since the first question that it did not answer; 0: it answered the last one, `undefined`: nobody has asked. */
  silentFor(haKeeper: string): number | undefined {
    const known = this.#known.get(haKeeper);
    if (known?.silentSince === undefined) return known && 0;
    return Math.max(1, this.#clock.monotonic() - known.silentSince);
  }

  /** Nothing of a cluster that is gone is remembered. */
  forget(haKeeper: string): void {
    this.#known.delete(haKeeper);
  }
}
