import { Writable } from 'node:stream';

/** Bytes in one message at most: readers with buffers of a fixed size exist. */
const largest = 32 * 1024;

/** Sends one piece to the client; resolves when more can be sent. Does nothing when the client is gone. */
export type Send = (data: Buffer) => Promise<void>;

/** The writing end of one channel of a connection. What is written after the client left is dropped. */
export class Outlet extends Writable {
  readonly #send: Send;
  readonly #onEnd: () => Promise<void> | void;

  /** @param onEnd tells the client that nothing more comes */
  constructor(send: Send, onEnd: () => Promise<void> | void = () => {}) {
    super({ decodeStrings: true });
    this.#send = send;
    this.#onEnd = onEnd;
    this.on('error', () => {});
  }

  /** Ends the channel; resolves when all of it was sent. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.writableFinished || this.destroyed) return resolve();
      this.once('close', resolve);
      this.end();
    });
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#sendAll(chunk).then(() => callback(), callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    Promise.resolve(this.#onEnd()).then(() => callback(), callback);
  }

  async #sendAll(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += largest) await this.#send(chunk.subarray(at, at + largest));
  }
}
