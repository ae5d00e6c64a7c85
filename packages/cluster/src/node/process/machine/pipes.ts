import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@coxswain/runtime/core';
import { runTool } from './run-tool.ts';
import type { Tools } from './tools.ts';

/** A pipe of the kernel. Both ends are closed by whoever takes them. */
export interface Pipe {
  /** For reading. */
  readonly output: number;
  /** For writing. */
  readonly input: number;
}

const batch = 24;

/**
 * Pipes for what programs write and read. Node gives its children sockets, which `/dev/stdout` and its like cannot open; these are named
 * pipes that are made by the dozen. Each is used once: what a program has left behind may still have it open.
 */
export class Pipes {
  readonly #tools: Tools;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #free: string[] = [];
  #made = 0;
  #making: Promise<void> | undefined;

  constructor(tools: Tools, folder: string, clock: Clock) {
    this.#tools = tools;
    this.#folder = folder;
    this.#clock = clock;
  }

  /** @param reader whose end must not be set to non-blocking: the other one belongs to this process */
  async open(program: 'reads' | 'writes'): Promise<Pipe> {
    const path = await this.#take();
    try {
      const ahead = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      if (program === 'writes') return { output: ahead, input: openSync(path, constants.O_WRONLY) };
      const input = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      const output = openSync(path, constants.O_RDONLY);
      closeSync(ahead);
      return { output, input };
    } finally {
      unlinkSync(path);
    }
  }

  async #take(): Promise<string> {
    for (;;) {
      const path = this.#free.pop();
      if (path !== undefined) return path;
      this.#making ??= this.#make().finally(() => {
        this.#making = undefined;
      });
      await this.#making;
    }
  }

  async #make(): Promise<void> {
    const paths = Array.from({ length: batch }, () => join(this.#folder, String(this.#made++)));
    // Whoever runs as another user may open them again by /dev/stdout; the folder lets nobody else in.
    await runTool([this.#tools.path('mkfifo'), '--mode=666', ...paths], { clock: this.#clock });
    this.#free.push(...paths);
  }
}
