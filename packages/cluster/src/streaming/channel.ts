import { Duplex } from 'node:stream';

/** Bytes that wait for a slow reader before the client is held back. */
const highWaterMark = 256 * 1024;
/** Bytes in one message at most: readers with buffers of a fixed size exist. */
const largest = 32 * 1024;

export interface ChannelOptions {
  /** Whether the client sends on it. */
  readonly reads: boolean;
  /** Sends one piece to the client; resolves when more can be sent. Absent: nothing is written to this channel. */
  readonly send?: (data: Buffer) => Promise<void>;
  /** Tells the client that nothing more comes. */
  readonly onEnd?: () => Promise<void> | void;
  /** How many bytes the reader took. */
  readonly onTaken?: (bytes: number) => void;
  /** Destroyed: with both ends done, or before. */
  readonly onDestroyed?: () => void;
}

/** Options of Node's that its types do not have. */
const sides = ({ reads, send }: ChannelOptions) => ({
  highWaterMark,
  readable: reads,
  writable: send !== undefined,
});

/**
 * One stream of bytes among several on a connection, as the server sees it: reads what the client sends and writes to it. Ends when
 * the connection does; what is written after that is dropped. Its errors need no listener.
 */
export class Channel extends Duplex {
  readonly #options: ChannelOptions;
  #room: (() => void) | undefined;
  #waiting = 0;
  #finished: boolean;

  constructor(options: ChannelOptions) {
    super(sides(options));
    this.#options = options;
    this.#finished = !options.reads;
    this.on('error', () => {});
  }

  /** Hands over what came from the client. The promise, if any, resolves when there is room for more. */
  deliver(data: Buffer): Promise<void> | undefined {
    if (data.length === 0) return undefined;
    if (this.#finished || this.destroyed) {
      this.#options.onTaken?.(data.length);
      return undefined;
    }
    this.#waiting += data.length;
    if (this.push(data)) return undefined;
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  /** The client sends no more. */
  finish(): void {
    if (this.#finished || this.destroyed) return;
    this.#finished = true;
    this.#taken();
    this.push(null);
  }

  /** Ends the writing side; resolves when all of it was sent. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.writableFinished || this.destroyed) return resolve();
      this.once('finish', resolve).once('close', resolve);
      this.end();
    });
  }

  override _read(): void {
    this.#taken();
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#sendAll(chunk).then(() => callback(), callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    Promise.resolve(this.#options.onEnd?.()).then(() => callback(), callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#taken();
    this.#options.onDestroyed?.();
    callback(error);
  }

  /** The reader asks for more: it has what was delivered. */
  #taken(): void {
    const bytes = this.#waiting;
    this.#waiting = 0;
    if (bytes > 0) this.#options.onTaken?.(bytes);
    this.#room?.();
    this.#room = undefined;
  }

  async #sendAll(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += largest) await this.#options.send?.(chunk.subarray(at, at + largest));
  }
}
