import { ProtobufError } from './errors.ts';
import { type Reader, wire } from './reader.ts';
import type { ReverseWriter } from './writer.ts';

/** One scalar type of protobuf. */
export interface Scalar {
  readonly wireType: number;
  /** What Go's zero value is in JSON. */
  readonly zero: unknown;
  read(reader: Reader): unknown;
  write(writer: ReverseWriter, value: unknown): void;
}

/** Text of a value that should be text; what has none is empty. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return ['number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';
}

/** A whole number that 64 bits hold. */
export function whole(value: unknown): number | bigint {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  const number = typeof value === 'number' ? Math.trunc(value) || 0 : 0;
  return Math.max(-(2 ** 63), Math.min(number, 2 ** 63 - 1024));
}

const string: Scalar = {
  wireType: wire.bytes,
  zero: '',
  read: (reader) => reader.string(),
  write: (writer, value) => writer.string(textOf(value)),
};

const bytes: Scalar = {
  wireType: wire.bytes,
  zero: '',
  read: (reader) => reader.bytes().toString('base64'),
  write(writer, value) {
    const content = Buffer.from(textOf(value), 'base64');
    writer.bytes(content);
    writer.uint(content.length);
  },
};

const bool: Scalar = {
  wireType: wire.varint,
  zero: false,
  read: (reader) => reader.uint() !== 0,
  write: (writer, value) => writer.uint(value === true ? 1 : 0),
};

const int32: Scalar = {
  wireType: wire.varint,
  zero: 0,
  read: (reader) => reader.int32(),
  write: (writer, value) => writer.int(whole(value)),
};

const int64: Scalar = {
  wireType: wire.varint,
  zero: 0,
  read: (reader) => reader.int64(),
  write: (writer, value) => writer.int(whole(value)),
};

const double: Scalar = {
  wireType: wire.fixed64,
  zero: 0,
  read(reader) {
    const value = reader.double();
    if (!Number.isFinite(value)) throw new ProtobufError(`json: unsupported value: ${value}`);
    return value;
  },
  write: (writer, value) => writer.double(typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0),
};

export const scalars: Readonly<Record<string, Scalar>> = { string, bytes, bool, int32, int64, double };
