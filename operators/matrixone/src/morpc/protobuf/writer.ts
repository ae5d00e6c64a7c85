/** Puts one message together, front to back. */
export class Writer {
  #bytes = Buffer.allocUnsafe(64);
  #length = 0;

  /** What has been written; a view that further writing may change. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  uint(value: number): void {
    const at = this.#grow(8);
    let end = at;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) this.#bytes[end++] = (rest % 128) | 0x80;
    this.#bytes[end++] = rest;
    this.#length = end;
  }

  /** Negative values as their two's complement of 64 bits. */
  uint64(value: bigint): void {
    const at = this.#grow(10);
    let end = at;
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[end++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[end++] = Number(rest);
    this.#length = end;
  }

  double(value: number): void {
    const at = this.#grow(8);
    this.#length = this.#bytes.writeDoubleLE(value, at);
  }

  /** Length and content. */
  bytes(value: Uint8Array): void {
    this.uint(value.length);
    const at = this.#grow(value.length);
    this.#bytes.set(value, at);
    this.#length = at + value.length;
  }

  string(value: string): void {
    this.bytes(Buffer.from(value, 'utf8'));
  }

  /** Length and content of what `write` writes. */
  within(write: (writer: Writer) => void): void {
    const inner = new Writer();
    write(inner);
    this.bytes(inner.written);
  }

  /** Makes room for `count` more bytes; answers where they go. */
  #grow(count: number): number {
    const least = this.#length + count;
    if (least > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(least, this.#bytes.length * 2));
      larger.set(this.written);
      this.#bytes = larger;
    }
    return this.#length;
  }
}
