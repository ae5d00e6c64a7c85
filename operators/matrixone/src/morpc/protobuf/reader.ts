import { WireError } from '../errors.ts';

/** How values are laid out on the wire. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** Groups within groups that are passed over; nobody writes them any more. */
const maxGroups = 16;
/**
 * Elements of lists and maps in one message. An element of two bytes becomes an object of some hundred, so a bound on the bytes alone
 * would not bound the memory.
 */
const maxElements = 200_000;

const truncated = () => new WireError('protobuf: the bytes end within a value');

/** Reads one message from front to back. Every length is checked before it is believed. @throws WireError */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #end: number;
  #elements = 0;
  #groups = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.length;
  }

  /** Whether the current message has ended. */
  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** Runs `read` within the length-delimited message that begins here. */
  within<T>(read: () => T): T {
    const outer = this.#end;
    this.#end = this.#length();
    const value = read();
    this.#end = outer;
    return value;
  }

  /** Counts an element of a list or map. @throws WireError when there are too many */
  element(): void {
    if (++this.#elements > maxElements) throw new WireError(`protobuf: more than ${maxElements} elements`);
  }

  /** Field number × 8 + layout. */
  tag(): number {
    const tag = this.uint64();
    if (tag < 8n || tag > 0xffff_ffffn) throw new WireError(`protobuf: ${tag} is no tag of a field`);
    return Number(tag);
  }

  uint64(): bigint {
    let low = 0;
    let scale = 1;
    const start = this.#at;
    for (let count = 0; count < 7; count++) {
      const byte = this.#byte();
      low += (byte & 0x7f) * scale;
      if (byte < 0x80) return BigInt(low);
      scale *= 128;
    }
    let value = BigInt(low);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      if (shift === 63n && byte > 1) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new WireError(`protobuf: the number at byte ${start} has more than 64 bits`);
  }

  double(): number {
    this.#pass(8);
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  /** The bytes of a length-delimited value; a view, not a copy. */
  bytes(): Uint8Array {
    const start = this.#enter();
    return this.#bytes.subarray(start, this.#at);
  }

  /** Text; bytes that are no UTF-8 become U+FFFD, as statements that servers cut off may end within a character. */
  string(): string {
    const start = this.#enter();
    return this.#bytes.toString('utf8', start, this.#at);
  }

  /** Passes over a value nobody knows. */
  skip(tag: number): void {
    const layout = tag % 8;
    if (layout === wire.varint) this.uint64();
    else if (layout === wire.fixed64) this.#pass(8);
    else if (layout === wire.fixed32) this.#pass(4);
    else if (layout === wire.bytes) this.#enter();
    else if (layout === wire.startGroup) this.#skipGroup(Math.floor(tag / 8));
    else throw new WireError(`protobuf: field ${Math.floor(tag / 8)} has layout ${layout}, which is none`);
  }

  #skipGroup(field: number): void {
    if (++this.#groups > maxGroups) throw new WireError(`protobuf: groups are nested more than ${maxGroups} deep`);
    for (let tag = this.tag(); tag !== field * 8 + wire.endGroup; tag = this.tag()) this.skip(tag);
    this.#groups--;
  }

  #byte(): number {
    if (this.#at >= this.#end) throw truncated();
    return this.#bytes[this.#at++] as number;
  }

  #pass(count: number): void {
    if (count > this.#end - this.#at) throw truncated();
    this.#at += count;
  }

  /** Passes over a length and what it measures; answers where that starts. */
  #enter(): number {
    const end = this.#length();
    const start = this.#at;
    this.#at = end;
    return start;
  }

  #length(): number {
    const length = this.uint64();
    if (length > BigInt(this.#end - this.#at)) throw truncated();
    return this.#at + Number(length);
  }
}
