/** Milliseconds; the kubelet's own figures. */
const first = 10_000;
export const longestDelay = 300_000;
/** A container that ran so long has done well, and begins with the shortest delay again. */
const forgiven = 2 * longestDelay;

/**
 * When a container may start again, as the kubelet counts: at once after its first end, then after 10 s, doubling to 5 min, from its
 * last end. Ten quiet minutes clear it. Pulls of images wait by the same rule, though never less than 10 s.
 */
export class RestartDelay {
  readonly #shortest: number;
  #delay: number;
  #last = Number.NEGATIVE_INFINITY;

  /** @param shortest milliseconds of the first delay: none for containers, 10 s for images */
  constructor(shortest: 0 | 10_000 = 0) {
    this.#shortest = shortest;
    this.#delay = shortest;
  }

  /** Milliseconds to be waited after an end (or a failure) at `at`. */
  after(at: number): number {
    if (at - this.#last > forgiven + this.#delay) this.#delay = this.#shortest;
    const delay = this.#delay;
    this.#delay = Math.min(longestDelay, delay === 0 ? first : delay * 2);
    this.#last = at;
    return delay;
  }

  /** Takes over from a node that has restarted it so often already. */
  resume(restarts: number, at: number): void {
    if (restarts === 0) return;
    this.#delay = Math.min(longestDelay, first * 2 ** (restarts - 1));
    this.#last = at;
  }
}
