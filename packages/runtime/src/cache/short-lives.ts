import type { Logger } from '../core/index.ts';

/** A watch that lives shorter than this was cut by something that is not the server's own time limit. */
const short = 30_000;
/** So many short lives in a row are told. */
const untilWarning = 3;

/** Notices watches that are cut short again and again: that is somebody's doing. */
export class ShortLives {
  readonly #log: Logger;
  #inARow = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** A watch ended after so many milliseconds. */
  lived(ms: number): void {
    this.#inARow = ms < short ? this.#inARow + 1 : 0;
    if (this.#inARow !== untilWarning) return;
    this.#log.warn(
      { watches: this.#inARow, lastLivedMs: Math.round(ms) },
      `watches live less than ${short / 1000}s: look for a proxy or load balancer on the way that ends idle or long ` +
        'connections, and give it a longer timeout',
    );
  }
}
