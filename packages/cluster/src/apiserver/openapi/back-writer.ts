/** Writes bytes from the last to the first: a length is known when it is its turn, and nothing is copied twice. */
export class BackWriter {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #start = this.#buffer.length;

  /** How many bytes there are. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** Makes room for so many more bytes, in another buffer if need be, and answers where they begin. */
  #take(count: number): number {
    if (count > this.#start) {
      const grown = Buffer.allocUnsafe((this.#buffer.length + count) * 2);
      this.#buffer.copy(grown, grown.length - this.length, this.#start);
      this.#start += grown.length - this.#buffer.length;
      this.#buffer = grown;
    }
    this.#start -= count;
    return this.#start;
  }

  text(value: string): void {
    const at = this.#take(Buffer.byteLength(value));
    this.#buffer.write(value, at);
  }

  double(value: number): void {
    const at = this.#take(8);
    this.#buffer.writeDoubleLE(value, at);
  }

  /** A whole number, not negative. */
  varint(value: number): void {
    let size = 1;
    for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size++;
    let at = this.#take(size);
    let rest = value;
    for (; size > 1; size--) {
      this.#buffer[at++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[at] = rest;
  }

  /** Ten bytes: how protobuf writes whole numbers below zero. */
  negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)));
    const at = this.#take(10);
    for (let i = 0; i < 10; i++) {
      this.#buffer[at + i] = Number(rest & 0x7fn) | (i < 9 ? 0x80 : 0);
      rest >>= 7n;
    }
  }

  /** All bytes. The writer is used up. */
  bytes(): Buffer {
    return this.#buffer.subarray(this.#start);
  }
}
