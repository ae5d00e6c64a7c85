import { WireError } from './errors.ts';
import { maxFrameSize } from './frame.ts';

/** Where the frame that is arriving is put together begins small: who announces much has not sent it yet. */
const firstCapacity = 4096;

/**
 * Cuts a stream of bytes into frames. Takes no more memory than twice what has arrived, whatever size is announced, and
 * refuses a size beyond the limit before anything of the frame is kept.
 */
export class FrameBuffer {
  readonly #limit: number;
  /** What has arrived of the frame that is under way, its size in front. */
  #held: Buffer = Buffer.alloc(0);
  #length = 0;

  /** @param limit bytes a frame may have after its size */
  constructor(limit: number = maxFrameSize) {
    this.#limit = Math.min(limit, maxFrameSize);
  }

  /**
   * Takes what arrived; gives the frames that are whole with it, without their sizes. They may be views of `chunk`, which must not be
   * written to again.
   * @throws WireError for a size of 0 or beyond the limit; the stream cannot be read on after that
   */
  *push(chunk: Uint8Array): Generator<Buffer> {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (rest.length > 0) {
      if (this.#length === 0) {
        const whole = this.#frameOf(rest);
        if (whole) {
          yield whole;
          rest = rest.subarray(4 + whole.length);
          continue;
        }
      }
      rest = this.#keep(rest);
      const whole = this.#frameOf(this.#held.subarray(0, this.#length));
      if (!whole) continue;
      this.#held = Buffer.alloc(0);
      this.#length = 0;
      yield whole;
    }
  }

  /** The frame at the start of `bytes`, when all of it is there. */
  #frameOf(bytes: Buffer): Buffer | undefined {
    if (bytes.length < 4) return undefined;
    const size = this.#sizeOf(bytes);
    return bytes.length < 4 + size ? undefined : bytes.subarray(4, 4 + size);
  }

  #sizeOf(bytes: Buffer): number {
    const size = bytes.readUInt32BE(0);
    if (size === 0) throw new WireError('morpc: a frame of 0 bytes');
    if (size > this.#limit) throw new WireError(`morpc: a frame of ${size} bytes; at most ${this.#limit} are taken`);
    return size;
  }

  /** Copies what belongs to the frame under way; answers what is left. */
  #keep(bytes: Buffer): Buffer {
    const wanted = this.#length < 4 ? 4 : 4 + this.#sizeOf(this.#held);
    const count = Math.min(bytes.length, wanted - this.#length);
    const least = this.#length + count;
    if (least > this.#held.length) {
      const capacity = Math.max(least, Math.min(wanted, Math.max(firstCapacity, this.#held.length * 2)));
      const larger = Buffer.allocUnsafe(capacity);
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    bytes.copy(this.#held, this.#length, 0, count);
    this.#length += count;
    return bytes.subarray(count);
  }
}
