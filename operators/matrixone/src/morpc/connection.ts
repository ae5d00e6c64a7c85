import type { Clock, Timer } from '@coxswain/runtime/core';
import { CallError, type CallPlace, WireError } from './errors.ts';
import { decodeFrame, encodeRequestFrame, type Frame } from './frame.ts';
import { FrameBuffer } from './frame-buffer.ts';
import { requestIdOf } from './protocol.ts';
import type { ByteStream } from './stream.ts';

/** Times and sizes of one connection. All times in milliseconds. */
export interface ConnectionLimits {
  /** Bytes that an answer's frame may have. */
  readonly maxFrame: number;
  /** Silence, while answers are waited for, after which the server is asked for a sign of life. */
  readonly pingAfter: number;
  /** Further silence after which the connection is given up. */
  readonly pingTimeout: number;
  /** Time without calls after which the connection is closed. */
  readonly idleTimeout: number;
}

/** One request, ready to be sent. */
export interface Outgoing {
  readonly place: CallPlace;
  /** The message, with this id in it. */
  encode(id: bigint): Uint8Array;
  readonly payload: Uint8Array | undefined;
  /** Milliseconds until the caller gives up. */
  readonly timeout: number;
}

interface Waiting {
  readonly place: CallPlace;
  resolve(body: Uint8Array): void;
  reject(error: CallError): void;
}

const nanoseconds = (ms: number) => BigInt(Math.max(1, Math.ceil(ms * 1e6)));

/**
 * The client's end of one connection: many calls at once, told apart by the ids in their messages. It ends by itself when it is idle, silent, or
 * when what arrives is no frame; every call that waits is told then, and `onEnded` is called once.
 */
export class Connection {
  readonly #stream: ByteStream;
  readonly #clock: Clock;
  readonly #limits: ConnectionLimits;
  readonly #onEnded: () => void;
  readonly #buffer: FrameBuffer;
  readonly #waiting = new Map<bigint, Waiting>();
  #nextId = 1n;
  #timer: Timer;
  /** Monotonic time since when the server has owed a sign of life; `undefined`: it owes none. A call that is given up leaves it owing. */
  #owedSince: number | undefined;
  #pinged = false;
  #ended = false;

  constructor(stream: ByteStream, clock: Clock, limits: ConnectionLimits, onEnded: () => void) {
    this.#stream = stream;
    this.#clock = clock;
    this.#limits = limits;
    this.#onEnded = onEnded;
    this.#buffer = new FrameBuffer(limits.maxFrame);
    this.#timer = clock.after(limits.idleTimeout, () => this.#look());
    stream.read({
      data: (bytes) => this.#receive(bytes),
      ended: (error) => this.end('lost', `the connection ended${error ? `: ${error.message}` : ''}`),
    });
  }

  /** Whether calls can still be made. */
  get open(): boolean {
    return !this.#ended;
  }

  /**
   * Sends a request and waits for the answer's message.
   * @param signal aborted when the caller stops waiting; its reason is what this rejects with. The answer is dropped then.
   * @throws CallError
   */
  request(out: Outgoing, signal: AbortSignal): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(new CallError(out.place, 'lost', 'the connection ended', false));
      const id = this.#nextId++;
      const bytes = frameOf(out, id);
      const onAbort = () => {
        this.#waiting.delete(id);
        reject(signal.reason);
      };
      const settle = () => signal.removeEventListener('abort', onAbort);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(id, {
        place: out.place,
        resolve(body) {
          settle();
          resolve(body);
        },
        reject(error) {
          settle();
          reject(error);
        },
      });
      this.#stream.write(bytes);
      if (this.#owedSince === undefined) this.#owe();
    });
  }

  /** Ends the connection, and tells all who wait why. */
  end(failure: 'lost' | 'malformed' | 'closed', why: string, cause?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer.cancel();
    this.#stream.close();
    for (const { place, reject } of this.#waiting.values()) reject(new CallError(place, failure, why, true, { cause }));
    this.#waiting.clear();
    this.#onEnded();
  }

  #receive(bytes: Uint8Array): void {
    if (this.#ended) return;
    try {
      for (const frame of this.#buffer.push(bytes)) {
        this.#take(decodeFrame(frame));
        if (this.#ended) return;
      }
      this.#heard();
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.end('malformed', `the connection was given up: ${error.message}`, error);
    }
  }

  #take({ kind, body }: Frame): void {
    // A pong is a sign of life, and nothing more. A ping is not answered: no server sends one, and one that is sent a pong panics.
    if (kind !== 'message') return;
    const id = requestIdOf(body);
    const waiting = this.#waiting.get(id);
    // The answer to a call that was given up, or to nobody.
    if (!waiting) return;
    this.#waiting.delete(id);
    waiting.resolve(body);
  }

  #ping(): void {
    this.#pinged = true;
    const { pingTimeout } = this.#limits;
    const body = Buffer.alloc(8);
    body.writeBigUInt64BE(this.#nextId++);
    this.#stream.write(
      encodeRequestFrame({ kind: 'ping', body, payload: undefined, timeout: nanoseconds(pingTimeout) }),
    );
    this.#lookIn(pingTimeout);
  }

  /** A sign of life. Silence counts anew while answers are waited for; else the quiet time begins. */
  #heard(): void {
    if (this.#owedSince === undefined) return;
    if (this.#waiting.size > 0) this.#owe();
    else {
      this.#owedSince = undefined;
      this.#lookIn(this.#limits.idleTimeout);
    }
  }

  #owe(): void {
    this.#owedSince = this.#clock.monotonic();
    this.#pinged = false;
    this.#lookIn(this.#limits.pingAfter);
  }

  #lookIn(ms: number): void {
    this.#timer.cancel();
    this.#timer = this.#clock.after(ms, () => this.#look());
  }

  #look(): void {
    if (this.#owedSince === undefined) this.end('closed', 'the connection was idle');
    else if (!this.#pinged) this.#ping();
    else {
      const silence = (this.#clock.monotonic() - this.#owedSince) / 1000;
      this.end('lost', `nothing was heard for ${silence}s, not even the answer to a ping`);
    }
  }
}

/** The bytes of a request; what cannot be written is the caller's fault, and never reaches the stream. */
function frameOf(out: Outgoing, id: bigint): Buffer {
  try {
    const body = out.encode(id);
    if (requestIdOf(body) !== id) throw new WireError('the message has another id than the call');
    return encodeRequestFrame({ kind: 'message', body, payload: out.payload, timeout: nanoseconds(out.timeout) });
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new CallError(out.place, 'malformed', error.message, false, { cause: error });
  }
}
