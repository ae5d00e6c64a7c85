import { ContainerLog } from './container-log.ts';
import type { SimulatedProgram } from './programs.ts';

export interface SimulatedRunOptions {
  /** As the container's status shows it. */
  readonly id: string;
  readonly program: SimulatedProgram | undefined;
  /** The log of a container without a program. */
  readonly apology: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** One run of a container, from its start to its end. What nobody looks at is not made: most containers have no program. */
export class SimulatedRun {
  readonly id: string;
  readonly program: SimulatedProgram | undefined;
  readonly #options: SimulatedRunOptions;
  readonly #started: number;
  readonly #controller: AbortController | undefined;
  #log: ContainerLog | undefined;
  #ended = false;

  constructor(options: SimulatedRunOptions) {
    this.id = options.id;
    this.program = options.program;
    this.#options = options;
    this.#started = options.now();
    if (!this.program) return;
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    const { log } = this;
    try {
      this.program.start?.({ write: (text, stream) => log.write(text, stream), signal });
    } catch (error) {
      log.write(`the program could not start: ${String(error)}\n`, 'stderr');
    }
  }

  get log(): ContainerLog {
    if (this.#log) return this.#log;
    const { now, apology } = this.#options;
    const log = new ContainerLog(this.program ? now : () => this.#started);
    if (!this.program) log.write(`${apology}\n`);
    if (this.#ended) log.end();
    this.#log = log;
    return log;
  }

  get ended(): boolean {
    return this.#ended;
  }

  end(): void {
    this.#ended = true;
    this.#controller?.abort();
    this.#log?.end();
  }
}
