import { resourceName } from '@coxswain/k8s';
import type { Clock, Logger, Timer } from '../core/index.ts';
import { KindsNotServed } from './errors.ts';
import type { Attached } from './source.ts';

/** Milliseconds until the log says what is waited for, and between two times at first and at last. */
const firstLog = 10_000;
const nextLog = 60_000;
const longestPause = 3_600_000;

/** Waits until all sources of a controller have delivered what was there. */
export class Startup {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #attached: readonly Attached[];
  #waiting: Timer | undefined;
  #deadline: Timer | undefined;

  constructor(attached: readonly Attached[], clock: Clock, log: Logger) {
    this.#attached = attached;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * @param ms how long it may take; `undefined`: for ever
   * @throws KindsNotServed when it takes longer
   */
  async synced(controller: string, ms: number | undefined): Promise<void> {
    this.#armLog(firstLog);
    const all = Promise.all(this.#attached.map(({ informer }) => informer.synced));
    const late = Promise.withResolvers<never>();
    if (ms !== undefined) {
      this.#deadline = this.#clock.after(ms, () => late.reject(new KindsNotServed(controller, this.#lateKinds(), ms)));
    }
    await Promise.race([all, late.promise]);
    this.cancel();
  }

  cancel(): void {
    this.#waiting?.cancel();
    this.#deadline?.cancel();
  }

  #lateKinds(): string[] {
    return this.#attached
      .filter(({ informer }) => !informer.hasSynced)
      .map(({ informer }) => resourceName(informer.kind));
  }

  /** Says at growing intervals which kinds the workers wait for; the cache says what is wrong with each. */
  #armLog(after: number, next = nextLog): void {
    this.#waiting = this.#clock.after(after, () => {
      const kinds = this.#lateKinds();
      this.#log.warn({ kinds }, 'workers wait for the first listing of these kinds; are they installed and readable?');
      this.#armLog(next, Math.min(next * 2, longestPause));
    });
  }
}
