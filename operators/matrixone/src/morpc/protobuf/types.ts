import { WireError } from '../errors.ts';
import { type Reader, wire } from './reader.ts';
import type { Writer } from './writer.ts';

/** A type of values: how one is read and written, without its tag. `Out` is what is read, `In` what may be written. */
export interface ValueType<Out, In = Out> {
  readonly layout: number;
  /** What stands for a value that is not on the wire. */
  zero(): Out;
  /** @param before what an earlier occurrence of the same field held */
  read(reader: Reader, before: Out | undefined): Out;
  write(writer: Writer, value: In): void;
  /** Whether a plain field with this value is left out. */
  isZero(value: In): boolean;
}

function whole(value: number, from: number, to: number): number {
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  throw new WireError(`protobuf: ${value} is no whole number of ${from} to ${to}`);
}

function wide(value: bigint, fits: bigint): bigint {
  if (value === fits) return value;
  throw new WireError(`protobuf: ${value} has more than 64 bits`);
}

/** Numbers of 64 bits are exact: ids and times in nanoseconds are beyond what a `number` holds. */
export const uint64: ValueType<bigint> = {
  layout: wire.varint,
  zero: () => 0n,
  read: (reader) => reader.uint64(),
  write: (writer, value) => writer.uint64(wide(value, BigInt.asUintN(64, value))),
  isZero: (value) => value === 0n,
};

export const int64: ValueType<bigint> = {
  layout: wire.varint,
  zero: () => 0n,
  read: (reader) => BigInt.asIntN(64, reader.uint64()),
  write: (writer, value) => writer.uint64(wide(value, BigInt.asIntN(64, value))),
  isZero: (value) => value === 0n,
};

export const uint32: ValueType<number> = {
  layout: wire.varint,
  zero: () => 0,
  read: (reader) => Number(BigInt.asUintN(32, reader.uint64())),
  write: (writer, value) => writer.uint(whole(value, 0, 0xffff_ffff)),
  isZero: (value) => value === 0,
};

/** Enumerations too: a number that this version has no name for is kept. */
export const int32: ValueType<number> = {
  layout: wire.varint,
  zero: () => 0,
  read: (reader) => Number(BigInt.asIntN(32, reader.uint64())),
  write: (writer, value) => writer.uint64(BigInt(whole(value, -0x8000_0000, 0x7fff_ffff))),
  isZero: (value) => value === 0,
};

export const double: ValueType<number> = {
  layout: wire.fixed64,
  zero: () => 0,
  read: (reader) => reader.double(),
  write: (writer, value) => writer.double(value),
  isZero: (value) => Object.is(value, 0),
};

export const bool: ValueType<boolean> = {
  layout: wire.varint,
  zero: () => false,
  read: (reader) => reader.uint64() !== 0n,
  write: (writer, value) => writer.uint(value ? 1 : 0),
  isZero: (value) => !value,
};

export const string: ValueType<string> = {
  layout: wire.bytes,
  zero: () => '',
  read: (reader) => reader.string(),
  write: (writer, value) => writer.string(value),
  isZero: (value) => value === '',
};

const nothing = new Uint8Array(0);

/** Read as a view of the message's bytes. */
export const bytes: ValueType<Uint8Array> = {
  layout: wire.bytes,
  zero: () => nothing,
  read: (reader) => reader.bytes(),
  write: (writer, value) => writer.bytes(value),
  isZero: (value) => value.length === 0,
};
