import { Readable } from 'node:stream';

/** Bytes that wait for a slow reader before the client is held back. */
const highWaterMark = 256 * 1024;

/** The reading end of one channel of a connection. Ends with the channel, or with the connection. */
export class Inbox extends Readable {
  #room: (() => void) | undefined;
  #finished = false;

  constructor() {
    super({ highWaterMark });
    // Nobody has to listen for the client's leaving.
    this.on('error', () => {});
  }

  /** Hands over what came from the client. The promise, if any, resolves when there is room for more. */
  deliver(data: Buffer): Promise<void> | undefined {
    if (data.length === 0 || this.#finished || this.destroyed || this.push(data)) return undefined;
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  /** The client sends no more. */
  finish(): void {
    if (this.#finished || this.destroyed) return;
    this.#finished = true;
    this.#release();
    this.push(null);
  }

  override _read(): void {
    this.#release();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#release();
    callback(error);
  }

  #release(): void {
    this.#room?.();
    this.#room = undefined;
  }
}
