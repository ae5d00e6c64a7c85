/** What a row has instead of the length of a NULL. */
export const nullLength = 0xfb;

/** Writes MySQL's numbers and texts, which are little-endian. */
export class ByteWriter {
  readonly #parts: Buffer[] = [];

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  /** A number of `size` bytes. */
  uint(value: number, size: 1 | 2 | 3 | 4): this {
    const part = Buffer.alloc(size);
    part.writeUIntLE(value, 0, size);
    return this.raw(part);
  }

  /** A number that says itself how long it is; as long as it fits 48 bits. */
  length(value: number): this {
    if (value < 251) return this.uint(value, 1);
    if (value < 0x1_0000) return this.uint(0xfc, 1).uint(value, 2);
    if (value < 0x100_0000) return this.uint(0xfd, 1).uint(value, 3);
    const part = Buffer.alloc(8);
    part.writeUIntLE(value, 0, 6);
    return this.uint(0xfe, 1).raw(part);
  }

  raw(bytes: Uint8Array): this {
    this.#parts.push(Buffer.from(bytes));
    return this;
  }

  /** A text that ends with a zero. */
  zeroEnded(text: string): this {
    return this.raw(Buffer.from(text)).uint(0, 1);
  }

  /** A text, or bytes, behind its length. */
  counted(text: string | Uint8Array): this {
    const bytes = Buffer.from(text as string);
    return this.length(bytes.length).raw(bytes);
  }
}

/** Reads what {@link ByteWriter} writes. What is not there reads as zeros and empty texts: logins of all clients are understood, or refused later. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  uint(size: 1 | 2 | 3 | 4): number {
    const part = Buffer.alloc(size);
    this.take(size).copy(part);
    return part.readUIntLE(0, size);
  }

  /** A length; {@link nullLength} where a row has a NULL. */
  length(): number {
    const first = this.uint(1);
    if (first <= nullLength) return first;
    if (first === 0xfc) return this.uint(2);
    if (first === 0xfd) return this.uint(3);
    const low = this.uint(4);
    return low + this.uint(4) * 2 ** 32;
  }

  take(count: number): Buffer {
    const part = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return part;
  }

  zeroEnded(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const text = this.#bytes.toString('utf8', this.#at, end < 0 ? this.#bytes.length : end);
    this.#at = end < 0 ? this.#bytes.length : end + 1;
    return text;
  }

  counted(): Buffer {
    return this.take(this.length());
  }

  rest(): Buffer {
    return this.take(Math.max(0, this.#bytes.length - this.#at));
  }
}
