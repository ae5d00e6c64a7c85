/** Keys waiting for workers: a key is never worked on twice at a time, and comes back later when it failed. */
export class WorkQueue {
  #work;
  #workers;
  #waiting = new Set();
  #running = new Set();
  #failures = new Map();
  #timers = new Map();
  #stopped = false;
  #idle;

  /**
   * @param workers keys worked on at once
   * @param work rejects when the key shall come back
   */
  constructor(workers, work) {
    this.#workers = workers;
    this.#work = work;
  }

  add(key) {
    this.#waiting.add(key);
    this.#next();
  }

  /** Resolves when the running ones have ended. */
  async stop() {
    this.#stopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    if (this.#running.size > 0) await new Promise((resolve) => (this.#idle = resolve));
  }

  #next() {
    if (this.#stopped) return;
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#workers) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      void this.#run(key);
    }
  }

  async #run(key) {
    this.#running.add(key);
    try {
      await this.#work(key);
      this.#failures.delete(key);
    } catch (error) {
      console.error(`${key}: ${error?.message ?? error}`);
      this.#retry(key);
    }
    this.#running.delete(key);
    if (this.#running.size === 0) this.#idle?.();
    this.#next();
  }

  /** After 5 ms, then twice as long each time, at most 5 minutes. */
  #retry(key) {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    clearTimeout(this.#timers.get(key));
    const again = () => {
      this.#timers.delete(key);
      this.add(key);
    };
    this.#timers.set(key, setTimeout(again, Math.min(5 * 2 ** failures, 300_000)));
  }
}
