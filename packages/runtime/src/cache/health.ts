import type { Clock } from '../core/index.ts';

/** What an informer has done since it was started. */
export interface InformerCounts {
  /** Full listings after the first one that was complete. */
  readonly relists: number;
  /** Watches the server opened. */
  readonly watches: number;
  /** Objects that listings and watches brought. Bookmarks do not count. */
  readonly events: number;
  /** Times it had to begin again, because a request or a watch failed, fell silent or ended too soon. */
  readonly restarts: number;
}

/** Is told what an informer does. */
export interface InformerObserver {
  /** The server was heard of. Comes with every batch of events. */
  contact(): void;
  counted(what: keyof InformerCounts, by: number): void;
}

/** Keeps when the server was last heard of, and counts. */
export class InformerHealth {
  readonly #clock: Clock;
  readonly #observer: InformerObserver | undefined;
  readonly #counts = { relists: 0, watches: 0, events: 0, restarts: 0 };
  #lastContact: number;

  constructor(clock: Clock, observer?: InformerObserver) {
    this.#clock = clock;
    this.#observer = observer;
    this.#lastContact = clock.monotonic();
  }

  /** Milliseconds since the last event, bookmark, page or answered probe; since the start when there was none. */
  get lag(): number {
    return this.#clock.monotonic() - this.#lastContact;
  }

  get counts(): InformerCounts {
    return { ...this.#counts };
  }

  contact(): void {
    this.#lastContact = this.#clock.monotonic();
    this.#observer?.contact();
  }

  count(what: keyof InformerCounts, by = 1): void {
    if (by === 0) return;
    this.#counts[what] += by;
    this.#observer?.counted(what, by);
  }
}
