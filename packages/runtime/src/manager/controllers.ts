import { type DeclaredController, KindsNotServed, type RunningController } from '../controller/index.ts';
import type { Clock, Logger } from '../core/index.ts';

/** The controllers of a manager: attached to their sources in order, set to work when it is their turn, stopped together. */
export class Controllers {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #all: RunningController[] = [];
  /** Of each that is attached or about to be: settled when its sources have delivered what was there. The stop waits for none of them. */
  readonly #attached = new Map<RunningController, Promise<void>>();
  #attaching = false;
  #leading = false;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  get declared(): readonly DeclaredController[] {
    return this.#all.map(({ declared }) => declared);
  }

  get names(): readonly string[] {
    return this.#all.map(({ name }) => name);
  }

  get idle(): boolean {
    return this.#all.every(({ idle }) => idle);
  }

  /** Names of those that only a leader works. */
  get led(): readonly string[] {
    return this.#all.filter(({ leaderOnly }) => leaderOnly).map(({ name }) => name);
  }

  /** Whether the keys of any are shared out among replicas. */
  get anySharded(): boolean {
    return this.#all.some(({ declared }) => declared.sharding !== undefined);
  }

  /** One that is added while the others are at work joins them. */
  add(controller: RunningController): void {
    this.#all.push(controller);
    if (!this.#attaching) return;
    this.#attach(controller);
    if (!this.#leading && controller.leaderOnly) return;
    this.#work(controller).catch((error) =>
      this.#log.error({ controller: controller.name, err: error }, 'not started'),
    );
  }

  /** Begins to attach all, one after the other. */
  async attach(): Promise<void> {
    this.#attaching = true;
    // a copy: one that is added meanwhile attaches itself
    for (const controller of [...this.#all]) {
      this.#attach(controller);
      await this.#clock.turn();
    }
  }

  /** Sets those to work that need not lead. @throws KindsNotServed */
  async workAlways(): Promise<void> {
    await Promise.all(this.#all.filter(({ leaderOnly }) => !leaderOnly).map((controller) => this.#work(controller)));
  }

  /** Sets all to work, also those added later. @throws KindsNotServed */
  async workLeading(): Promise<void> {
    this.#leading = true;
    await Promise.all(this.#all.map((controller) => this.#work(controller)));
  }

  /** Rejects when a controller that may not wait for its kinds has given up: a standby must not find out when it is needed. */
  notServed(): Promise<never> {
    return new Promise((_resolve, reject) => {
      for (const attached of this.#attached.values()) {
        attached.catch((error: unknown) => error instanceof KindsNotServed && reject(error));
      }
    });
  }

  /** Stops all. What fails on the way is told in the log: it must not keep the lease. @param deadline see `RunningController.stop` */
  async stop(deadline: number): Promise<void> {
    await Promise.all(this.#all.map((controller) => this.#stop(controller, deadline)));
  }

  #attach(controller: RunningController): void {
    const attached = controller.attach();
    attached.catch(() => {});
    this.#attached.set(controller, attached);
  }

  /** Workers start when every source has delivered what was there. */
  async #work(controller: RunningController): Promise<void> {
    await this.#attached.get(controller);
    controller.work();
  }

  async #stop(controller: RunningController, deadline: number): Promise<void> {
    try {
      await controller.stop(deadline);
    } catch (error) {
      this.#log.error({ controller: controller.name, err: error }, 'stop failed');
    }
  }
}
