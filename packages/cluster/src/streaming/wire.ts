import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';

/** Milliseconds for which a closed connection waits for the client to take the rest and leave. */
const patience = 10_000;

/** The writing side of an upgraded connection. */
export class Wire {
  readonly #stream: Duplex;
  readonly #clock: Clock;
  #drained: Promise<void> | undefined;

  constructor(stream: Duplex, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    // That a connection broke is told by the end of what can be read.
    stream.on('error', () => {});
  }

  /** What arrives. Leaving the loop leaves the connection as it is. */
  chunks(): AsyncIterable<Buffer> {
    return this.#stream.iterator({ destroyOnReturn: false });
  }

  /** Resolves when more can be written without piling up. Does nothing when the client is gone. */
  write(...parts: readonly Buffer[]): Promise<void> {
    const stream = this.#stream;
    if (stream.destroyed || !stream.writable) return Promise.resolve();
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

  /** Ends after what was written; the client gets a moment to take it. What it still sends is to be read, or it gets a reset. */
  end(): void {
    const stream = this.#stream;
    stream.end();
    if (stream.destroyed) return;
    const timer = this.#clock.after(patience, () => stream.destroy());
    stream.once('close', () => timer.cancel());
  }
}
