import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@coxswain/runtime/core';

/** Milliseconds for which a closed connection waits for the client to take the rest and leave. */
const patience = 10_000;

/** Milliseconds without a byte in either direction after which a connection is given up; the real server's. */
const idleLimit = 4 * 60 * 60 * 1000;

/** An upgraded connection, seen from the server: what arrives, and writing that does not pile up. */
export class Wire {
  readonly #stream: Duplex;
  readonly #clock: Clock;
  #drained: Promise<void> | undefined;
  #letGo: (() => void) | undefined;
  #idle: Timer | undefined;
  #lastUse: number;

  constructor(stream: Duplex, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    // That a connection broke is told by the end of what can be read.
    stream.on('error', () => {});
    stream.once('close', () => {
      this.#letGo?.();
      this.#idle?.cancel();
    });
    this.#lastUse = clock.monotonic();
    if (!stream.destroyed) this.#watchIdle(idleLimit);
  }

  /** What arrives. Leaving the loop leaves the connection as it is. */
  async *chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#stream.iterator({ destroyOnReturn: false })) {
      this.#lastUse = this.#clock.monotonic();
      yield chunk as Buffer;
    }
  }

  /** Waits for who takes what arrived, but not longer than the connection lasts. For one at a time. */
  async taken(work: Promise<void> | undefined): Promise<void> {
    if (!work || this.#stream.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#letGo = resolve;
      work.then(resolve, resolve);
    });
    this.#letGo = undefined;
  }

  /** Resolves when more can be written without piling up. Does nothing when the client is gone. */
  write(...parts: readonly Buffer[]): Promise<void> {
    const stream = this.#stream;
    if (stream.destroyed || !stream.writable) return Promise.resolve();
    this.#lastUse = this.#clock.monotonic();
    if (stream.write(parts.length === 1 ? parts[0] : Buffer.concat(parts))) return Promise.resolve();
    this.#drained ??= new Promise((resolve) => {
      const done = () => {
        this.#drained = undefined;
        stream.off('drain', done).off('close', done);
        resolve();
      };
      stream.on('drain', done).on('close', done);
    });
    return this.#drained;
  }

  /** Ends after what was written; the client gets a moment to take it. What it still sends is read, or it would get a reset. */
  end(): void {
    const stream = this.#stream;
    stream.end();
    if (stream.destroyed) return;
    // Nobody else may be reading any more, and a stream that is not read to its end never closes.
    stream.resume();
    const timer = this.#clock.after(patience, () => stream.destroy());
    stream.once('close', () => timer.cancel());
  }

  #watchIdle(ms: number): void {
    this.#idle = this.#clock.after(ms, () => {
      const left = this.#lastUse + idleLimit - this.#clock.monotonic();
      if (left <= 0) this.#stream.destroy();
      else this.#watchIdle(left);
    });
  }
}
