import { isUtf8 } from 'node:buffer';
import { ProtobufError } from './errors.ts';

/** How values are laid out on the wire. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** Messages within messages; the deepest schema of a CRD in the field is far below. */
const maxDepth = 400;

const truncated = () => new ProtobufError('unexpected EOF');

/** Reads one buffer from front to back. Everything it is told about lengths is checked first. @throws ProtobufError */
export class Reader {
  readonly #bytes: Buffer;
  #at: number;
  #end: number;
  #depth = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#at = 0;
    this.#end = bytes.length;
  }

  /** Whether the current message has ended. */
  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** Runs `read` within the length-delimited message that begins here. */
  message(read: () => void): void {
    if (++this.#depth > maxDepth) throw new ProtobufError('exceeded max depth');
    const end = this.#end;
    this.#end = this.#length();
    read();
    this.#end = end;
    this.#depth--;
  }

  /** Field number × 8 + layout. */
  tag(): number {
    const tag = this.uint();
    if (tag < 8 || tag > 0xffff_ffff)
      throw new ProtobufError(`proto: illegal tag ${Math.floor(tag / 8)} (wire type ${tag % 8})`);
    return tag;
  }

  /** A varint as a number; what does not fit a safe integer is rounded, as in JSON. Never negative. */
  uint(): number {
    const bytes = this.#bytes;
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count++) {
      if (this.#at >= this.#end) throw truncated();
      const byte = bytes[this.#at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new ProtobufError('proto: integer overflow');
  }

  /** A signed 64-bit integer; a `bigint` when no double holds it. */
  int64(): number | bigint {
    const start = this.#at;
    const value = this.uint();
    if (this.#at - start < 8) return value;
    this.#at = start;
    const exact = BigInt.asIntN(64, this.#bigUint());
    const rounded = Number(exact);
    return Number.isSafeInteger(rounded) ? rounded : exact;
  }

  int32(): number {
    const start = this.#at;
    const value = this.uint();
    if (value <= 0x7fff_ffff) return value;
    this.#at = start;
    return Number(BigInt.asIntN(32, this.#bigUint()));
  }

  double(): number {
    if (this.#at + 8 > this.#end) throw truncated();
    this.#at += 8;
    return this.#bytes.readDoubleLE(this.#at - 8);
  }

  /** The bytes of a length-delimited value; a view, not a copy. */
  bytes(): Buffer {
    const end = this.#length();
    const start = this.#at;
    this.#at = end;
    return this.#bytes.subarray(start, end);
  }

  string(): string {
    const end = this.#length();
    const start = this.#at;
    this.#at = end;
    const text = this.#bytes.toString('utf8', start, end);
    // Only text with the replacement character can have been broken.
    if (text.includes('\ufffd') && !isUtf8(this.#bytes.subarray(start, end)))
      throw new ProtobufError('proto: field contains invalid UTF-8');
    return text;
  }

  /** Passes over a value nobody knows. */
  skip(tag: number): void {
    const kind = tag & 7;
    if (kind === wire.varint) this.uint();
    else if (kind === wire.fixed64) this.#pass(8);
    else if (kind === wire.fixed32) this.#pass(4);
    else if (kind === wire.bytes) this.bytes();
    else if (kind === wire.startGroup) this.#skipGroup();
    else if (kind === wire.endGroup) throw new ProtobufError('proto: unexpected end of group');
    else throw new ProtobufError(`proto: illegal wireType ${kind}`);
  }

  #skipGroup(): void {
    if (++this.#depth > maxDepth) throw new ProtobufError('exceeded max depth');
    for (;;) {
      const tag = this.tag();
      if ((tag & 7) === wire.endGroup) break;
      this.skip(tag);
    }
    this.#depth--;
  }

  #pass(count: number): void {
    if (this.#at + count > this.#end) throw truncated();
    this.#at += count;
  }

  /** Reads a length; answers where the value ends. */
  #length(): number {
    const length = this.uint();
    if (length > this.#end - this.#at) throw truncated();
    return this.#at + length;
  }

  #bigUint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
}
