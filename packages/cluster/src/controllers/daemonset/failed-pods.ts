const initial = 1_000;
const longest = 15 * 60_000;

interface Entry {
  readonly delay: number;
  readonly at: number;
}

/** Slows down the replacing of pods that fail again and again: a second, then twice as long each time, up to a quarter of an hour. */
export class FailedPods {
  readonly #entries = new Map<string, Entry>();

  /**
   * Milliseconds until the failed pod of a place may be replaced; 0 when now. Answering 0 counts as a replacement. A place that had
   * none for half an hour begins anew.
   */
  wait(place: string, now: number): number {
    const entry = this.#entries.get(place);
    const fresh = entry && now - entry.at <= 2 * longest ? entry : undefined;
    const left = fresh ? fresh.at + fresh.delay - now : 0;
    if (left > 0) return left;
    this.#entries.set(place, { delay: fresh ? Math.min(longest, fresh.delay * 2) : initial, at: now });
    return 0;
  }

  /** Forgets the places whose names begin with `prefix`. */
  forget(prefix: string): void {
    for (const place of this.#entries.keys()) if (place.startsWith(prefix)) this.#entries.delete(place);
  }
}
