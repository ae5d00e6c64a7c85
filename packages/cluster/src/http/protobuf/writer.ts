const firstSize = 16 * 1024;
/** A larger buffer is not kept for the next message. */
const keptSize = 1024 * 1024;

/**
 * Writes a message from its last byte to its first: so the length of a part is known when its turn comes, without a pass to
 * measure it.
 */
export class ReverseWriter {
  #bytes: Buffer;
  #at: number;

  /** @param size expected of a message */
  constructor(size = firstSize) {
    this.#bytes = Buffer.allocUnsafe(size);
    this.#at = size;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** What was written, as a buffer of its own; the writer is empty again. */
  take(): Buffer {
    const result = Buffer.from(this.#bytes.subarray(this.#at));
    this.clear();
    return result;
  }

  /** Forgets what was written. */
  clear(): void {
    if (this.#bytes.length > keptSize) this.#bytes = Buffer.allocUnsafe(firstSize);
    this.#at = this.#bytes.length;
  }

  /** A varint; `value` is a whole number, not negative. */
  uint(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#bytes[--this.#at] = value;
      return;
    }
    let size = 2;
    for (let rest = value / 0x4000; rest >= 1; rest /= 0x80) size++;
    this.#reserve(size);
    this.#at -= size;
    let at = this.#at;
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[at] = rest;
  }

  /** A signed integer, as Go writes int32 and int64: negative ones take ten bytes. */
  int(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) {
      this.uint(value);
      return;
    }
    const bytes: number[] = [];
    for (let rest = BigInt.asUintN(64, BigInt(value)); bytes.length === 0 || rest > 0n; rest >>= 7n) {
      bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    }
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
  }

  /** A string with its length before it. */
  string(text: string): void {
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#at -= size;
    this.#bytes.write(text, this.#at, size, 'utf8');
    this.uint(size);
  }

  #reserve(count: number): void {
    if (count <= this.#at) return;
    const used = this.length;
    const bytes = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, used + count));
    this.#bytes.copy(bytes, bytes.length - used, this.#at);
    this.#at = bytes.length - used;
    this.#bytes = bytes;
  }
}
