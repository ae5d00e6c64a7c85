import type { History } from './history.ts';
import type { StorageKey, StoredObject } from './types.ts';

/**
 * How a resource differed from now at one past revision: for each object changed since, what it was (`undefined`: not there).
 * Pages of one long listing ask for the same revision again and again, so a view is brought up to date instead of made anew.
 */
export class PastView {
  readonly revision: number;
  readonly states = new Map<string, StoredObject | undefined>();
  /** Ids that were created or deleted since: the only ones whose presence can differ. */
  readonly moved = new Set<string>();
  readonly #idOf: (key: StorageKey) => string;
  #through: number;

  constructor(revision: number, idOf: (key: StorageKey) => string) {
    this.revision = revision;
    this.#idOf = idOf;
    this.#through = revision;
  }

  /** Takes in the changes since the last call. */
  update(history: History): this {
    for (const event of history.after(this.#through)) {
      const id = this.#idOf(event.key);
      // Only the first change after the revision tells what was there.
      if (!this.states.has(id)) this.states.set(id, event.before);
      if (event.type !== 'updated') this.moved.add(id);
      this.#through = event.revision;
    }
    return this;
  }
}
