import type { Clock, Random } from '@coxswain/runtime/core';
import type { CnStore, CnStoreService, StoreLoad } from '../cnstore/index.ts';

/** Sessions of a node that has been told to take no more leave it within so many milliseconds. */
const longestSession = 60_000;

/** Compute nodes as their cluster sees them: a node that serves has sessions, one that drains loses them after a while. */
export class Sessions {
  readonly #clock: Clock;
  readonly #random: Random;
  /** When the last session of a node ends. */
  readonly #ends = new Map<string, number>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  of(podName: string): number {
    return (this.#ends.get(podName) ?? 0) > this.#clock.now() ? 2 : 0;
  }

  serving(podName: string): boolean {
    return this.#ends.get(podName) === Number.POSITIVE_INFINITY;
  }

  /** How one operator asks for them. @param fails whether a call fails */
  through(fails: () => boolean): CnStoreService {
    const asked = async () => {
      if (fails()) throw new Error('HAKeeper does not answer');
    };
    return {
      refreshAfter: 20_000,
      serve: async ({ podName }, _labels, _signal, takingBack) => {
        await asked();
        if (this.#ends.has(podName) && !this.serving(podName)) await takingBack?.();
        this.#ends.set(podName, Number.POSITIVE_INFINITY);
      },
      drain: async ({ podName }) => {
        await asked();
        if (!this.serving(podName)) return;
        this.#ends.set(podName, this.#clock.now() + this.#random.next() * longestSession);
      },
      load: async ({ podName }: CnStore): Promise<StoreLoad> => {
        await asked();
        return { sessions: this.of(podName), pipelines: 0, replicas: 0 };
      },
      forget: async ({ podName }) => {
        await asked();
        this.#ends.delete(podName);
      },
    };
  }
}
