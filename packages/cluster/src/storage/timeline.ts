import type { Clock } from '@coxswain/runtime/core';

/** Remembers, coarsely, which revision was the newest at which time, so that the past can be forgotten by age. */
export class Timeline {
  readonly #clock: Clock;
  readonly #age: number;
  #marks: { readonly time: number; readonly revision: number }[] = [];
  #aged = 0;

  constructor(clock: Clock, age: number) {
    this.#clock = clock;
    this.#age = age;
  }

  /** Notes that `revision` is the newest now; answers the newest revision that is surely older than the age limit. */
  note(revision: number): number {
    const now = this.#clock.monotonic();
    const last = this.#marks.at(-1);
    if (!last || now - last.time >= this.#age / 20) this.#marks.push({ time: now, revision });
    while (this.#marks[0] && this.#marks[0].time <= now - this.#age) {
      this.#aged = this.#marks[0].revision;
      this.#marks.shift();
    }
    return this.#aged;
  }
}
