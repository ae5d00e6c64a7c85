/** Sets up to this size are looked at on every event. */
const small = 100;
/** Milliseconds of rest for each pod of a larger set; at most {@link longest}. */
const restPerPod = 0.1;
const longest = 1_000;

/**
 * Keeps the cost of large sets in bounds. A look at a set costs time in proportion to its size, and each of its pods brings several events;
 * so the larger the set, the longer it rests between two looks.
 */
export class Pace {
  readonly #next = new Map<string, number>();

  /** Milliseconds until the set may be looked at again; 0 when now. Answering 0 counts as a look. */
  rest(key: string, size: number, now: number): number {
    if (size <= small) {
      this.#next.delete(key);
      return 0;
    }
    const left = (this.#next.get(key) ?? now) - now;
    if (left > 0) return left;
    this.#next.set(key, now + Math.min(longest, size * restPerPod));
    return 0;
  }

  forget(key: string): void {
    this.#next.delete(key);
  }
}
