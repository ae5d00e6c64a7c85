import type { Clock, Logger } from '../core/index.ts';
import { settles } from './settles.ts';
import type { Runnable } from './types.ts';

/** Milliseconds that those asked to stop when the time of a stop is up have at least. */
const grace = 1_000;

/** The runnables of a manager: started in order, early ones first, those that wait for leadership later; stopped the last first. */
export class Runnables {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #all: Runnable[] = [];
  readonly #started: Runnable[] = [];
  readonly #up = new Set<Runnable>();
  /** Which have been started, by `leaderOnly`: one that is added later starts at once. */
  readonly #begun = new Set<boolean>();
  readonly #abort = new AbortController();
  #closed = false;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  get idle(): boolean {
    return this.#all.every(({ idle }) => idle !== false);
  }

  /** Names of those for every replica that are not up yet. */
  get pending(): readonly string[] {
    return this.#all.filter((each) => !each.leaderOnly && !this.#up.has(each)).map(({ name }) => name);
  }

  /** Names of those that wait for leadership. */
  get led(): readonly string[] {
    return this.#all.filter(({ leaderOnly }) => leaderOnly).map(({ name }) => name);
  }

  /** @throws Error when it is here already: it would be started twice */
  add(runnable: Runnable): void {
    if (this.#all.includes(runnable))
      throw new Error(`the runnable ${runnable.name} has been added already; add it once`);
    this.#all.push(runnable);
    if (this.#begun.has(runnable.leaderOnly ?? false)) void this.#startLate(runnable);
  }

  /** @throws what the first one that cannot start throws */
  async start(leaderOnly: boolean): Promise<void> {
    const meant = () => this.#all.filter((each) => (each.leaderOnly ?? false) === leaderOnly);
    for (const early of [true, false]) {
      for (const runnable of meant()) {
        if ((runnable.early ?? false) === early) await this.#start(runnable);
      }
    }
    this.#begun.add(leaderOnly);
  }

  /** None starts any more: nobody would stop it. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Aborts their signals, then stops one after the other. When `ms` milliseconds are over, those that remain are asked at once; who has
   * not ended a moment later is told in the log, and left.
   * @param reason of their signals
   */
  async stop(reason: Error, ms: number): Promise<void> {
    this.close();
    this.#abort.abort(reason);
    const over = this.#clock.monotonic() + ms;
    const running = new Map<Runnable, Promise<void>>();
    for (const runnable of this.#started.toReversed()) {
      const stopped = this.#stop(runnable).then(() => void running.delete(runnable));
      running.set(runnable, stopped);
      await settles(this.#clock, over - this.#clock.monotonic(), stopped);
    }
    if (running.size > 0) await settles(this.#clock, grace, Promise.all(running.values()));
    for (const { name } of running.keys()) {
      this.#log.error({ runnable: name }, 'did not stop in time; the manager stops without it');
    }
  }

  async #start(runnable: Runnable): Promise<void> {
    if (this.#closed) return;
    this.#started.push(runnable);
    await runnable.start(this.#abort.signal);
    this.#up.add(runnable);
  }

  async #startLate(runnable: Runnable): Promise<void> {
    try {
      await this.#start(runnable);
    } catch (error) {
      this.#log.error({ runnable: runnable.name, err: error }, 'a runnable added later did not start');
    }
  }

  async #stop(runnable: Runnable): Promise<void> {
    try {
      await runnable.stop?.();
    } catch (error) {
      this.#log.error({ runnable: runnable.name, err: error }, 'stop failed');
    }
  }
}
