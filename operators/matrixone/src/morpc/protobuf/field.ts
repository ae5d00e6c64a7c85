import { WireError } from '../errors.ts';
import { type Reader, wire } from './reader.ts';
import type { ValueType } from './types.ts';
import type { Writer } from './writer.ts';

/** One field of a message: number, and how all its occurrences are read and written. */
export interface Field<Out, In = Out> {
  readonly number: number;
  /** The value of a field that did not occur. */
  zero(): Out;
  /** Reads one occurrence. @param before what was read so far, from {@link zero} on */
  read(reader: Reader, layout: number, before: Out): Out;
  /** Writes tags and values; nothing for what stands for itself by its absence. */
  write(writer: Writer, value: In): void;
}

function expectLayout(number: number, layout: number, wanted: number): void {
  if (layout !== wanted) throw new WireError(`protobuf: field ${number} has layout ${layout} instead of ${wanted}`);
}

/** A value that is left out when it is zero. */
export function plain<T>(number: number, type: ValueType<T>): Field<T> {
  return {
    number,
    zero: type.zero,
    read(reader, layout, before) {
      expectLayout(number, layout, type.layout);
      return type.read(reader, before);
    },
    write(writer, value) {
      if (type.isZero(value)) return;
      writer.uint(number * 8 + type.layout);
      type.write(writer, value);
    },
  };
}

/** A message, or `undefined` when there is none. An empty one is there, and is written. */
export function optional<Out, In>(number: number, type: ValueType<Out, In>): Field<Out | undefined, In | undefined> {
  return {
    number,
    zero: () => undefined,
    read(reader, layout, before) {
      expectLayout(number, layout, type.layout);
      return type.read(reader, before);
    },
    write(writer, value) {
      if (value === undefined) return;
      writer.uint(number * 8 + type.layout);
      type.write(writer, value);
    },
  };
}

/** A list of messages or texts (numbers in a list would be packed, which no message here needs). */
export function repeated<Out, In>(number: number, type: ValueType<Out, In>): Field<readonly Out[], readonly In[]> {
  return {
    number,
    zero: () => [],
    read(reader, layout, before) {
      expectLayout(number, layout, wire.bytes);
      reader.element();
      // The list is this decoding's own, so that it can grow in place.
      const list = before as Out[];
      list.push(type.read(reader, undefined));
      return list;
    },
    write(writer, values) {
      for (const value of values) {
        writer.uint(number * 8 + type.layout);
        type.write(writer, value);
      }
    },
  };
}

/** A map; the last entry of a key wins, as everywhere. */
export function map<K, Out, In>(
  number: number,
  keys: ValueType<K>,
  values: ValueType<Out, In>,
): Field<ReadonlyMap<K, Out>, ReadonlyMap<K, In>> {
  const key = plain(1, keys);
  return {
    number,
    zero: () => new Map(),
    read(reader, layout, before) {
      expectLayout(number, layout, wire.bytes);
      reader.element();
      return reader.within(() => {
        let name = keys.zero();
        let value: Out | undefined;
        while (!reader.done) {
          const tag = reader.tag();
          const field = Math.floor(tag / 8);
          if (field === 1) name = key.read(reader, tag % 8, name);
          else if (field === 2) {
            expectLayout(field, tag % 8, values.layout);
            value = values.read(reader, value);
          } else reader.skip(tag);
        }
        return (before as Map<K, Out>).set(name, value === undefined ? values.zero() : value);
      });
    },
    write(writer, entries) {
      for (const [name, value] of entries) {
        writer.uint(number * 8 + wire.bytes);
        writer.within((inner) => {
          inner.uint(8 + keys.layout);
          keys.write(inner, name);
          inner.uint(16 + values.layout);
          values.write(inner, value);
        });
      }
    },
  };
}
