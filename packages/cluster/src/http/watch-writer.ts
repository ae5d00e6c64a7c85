import type { OutgoingEvent, WatchStream } from '../apiserver/types.ts';
import { nextBatch } from './watch-batch.ts';
import { jsonLines, type WatchEncoding } from './watch-encoding.ts';

export interface WatchLimits {
  /** Bytes of events that may wait for a slow reader before it is cut off. */
  readonly backlog: number;
  /** Bytes handed to the socket at a time. */
  readonly batch: number;
}

export interface WatchWriterOptions {
  readonly limits?: WatchLimits;
  /** Called once when nothing more comes, but the reader has not taken all of it. */
  onLast?(): void;
}

/** Where a watch goes: the body of an answer, or a connection that frames it. */
export interface WatchTarget {
  readonly destroyed: boolean;
  /** Answers whether more can be written before `drain`. */
  write(bytes: Buffer): boolean;
  end(): void;
  destroy(): unknown;
  on(event: 'drain', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

export const watchLimits: WatchLimits = { backlog: 16 * 1024 * 1024, batch: 256 * 1024 };

/** Assumed of an event that has not been serialised yet. */
const typicalBytes = 1024;

/**
 * Sends a watch. Events wait as objects and are written together once per turn of the event loop, never more than
 * the socket takes; the objects present at the start are free, later ones count against the backlog limit.
 */
export class WatchWriter {
  readonly #response: WatchTarget;
  readonly #stream: WatchStream;
  readonly #encoding: WatchEncoding;
  readonly #limits: WatchLimits;
  readonly #onLast: (() => void) | undefined;
  #queue: OutgoingEvent[] = [];
  /** What each queued event counts against the limit. */
  #sizes: number[] = [];
  #sent = 0;
  #backlog = 0;
  #started = false;
  #ended = false;
  #scheduled = false;
  #blocked = false;

  constructor(
    response: WatchTarget,
    stream: WatchStream,
    encoding: WatchEncoding = jsonLines,
    { limits = watchLimits, onLast }: WatchWriterOptions = {},
  ) {
    this.#response = response;
    this.#stream = stream;
    this.#encoding = encoding;
    this.#limits = limits;
    this.#onLast = onLast;
  }

  /** Resolves when the connection is done with. The head of the response is already written. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      this.#response.on('drain', () => {
        this.#blocked = false;
        this.#flush();
      });
      this.#response.once('close', () => {
        this.#queue = [];
        this.#ended = true;
        this.#stream.cancel();
        resolve();
      });
      this.#stream.start(
        (events) => this.#take(events),
        () => this.end(),
      );
      this.#started = true;
    });
  }

  /** Ends the response after what is queued. */
  end(): void {
    if (this.#blocked && !this.#ended) this.#onLast?.();
    this.#ended = true;
    this.#schedule();
  }

  #take(events: readonly OutgoingEvent[]): void {
    if (this.#ended) return;
    for (const event of events) {
      const size = this.#started ? this.#sizeOf(event) : 0;
      this.#queue.push(event);
      this.#sizes.push(size);
      this.#backlog += size;
    }
    if (this.#backlog > this.#limits.backlog && this.#blocked) this.#response.destroy();
    else this.#schedule();
  }

  /** Exact while the reader is slow; until then nothing is serialised before its turn. */
  #sizeOf(event: OutgoingEvent): number {
    if (this.#blocked) return this.#encoding.parts(event).reduce((sum, part) => sum + part.length, 0);
    return this.#encoding.knownSize(event) ?? typicalBytes;
  }

  #schedule(): void {
    if (this.#scheduled || this.#blocked) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#response.destroyed || this.#blocked) return;
    const batch = nextBatch(this.#queue, this.#sent, this.#encoding, this.#limits.batch);
    for (let i = 0; i < batch.events.length; i++) this.#backlog -= this.#sizes[this.#sent++] ?? 0;
    const done = this.#sent === this.#queue.length;
    if (done) {
      this.#queue = [];
      this.#sizes = [];
      this.#sent = 0;
    }
    if (batch.events.length > 0) this.#blocked = !this.#response.write(batch.bytes);
    if (!done) this.#schedule();
    else if (this.#ended) this.#response.end();
  }
}
