import type { Field } from './field.ts';
import { Reader, wire } from './reader.ts';
import type { ValueType } from './types.ts';
import { Writer } from './writer.ts';

// `never` and `unknown` let fields of every type in; what each reads and writes is kept by inference.
type AnyField = Field<unknown, never>;
export type MessageFields = Readonly<Record<string, AnyField>>;

type Read<F extends MessageFields> = {
  readonly [K in keyof F]: F[K] extends Field<infer Out, never> ? Out : never;
};
type Written<F extends MessageFields> = {
  readonly [K in keyof F]?: (F[K] extends Field<infer _, infer In> ? In : never) | undefined;
};

/** A message: its type for lists, maps and fields of others, and the two directions of its codec. */
export interface Message<Out, In> extends ValueType<Out, In> {
  /** Fields this version does not know are passed over. @throws WireError when the bytes are no such message */
  decode(bytes: Uint8Array): Out;
  /** What is absent is written as nothing. @throws WireError when a number does not fit its field */
  encode(value: In): Uint8Array;
}

/** What decoding a message gives: every field is there, with its zero when it was not sent. */
export type Decoded<M> = M extends Message<infer Out, never> ? Out : never;
/** What a message is encoded from: absent fields are zero. */
export type Encodable<M> = M extends Message<infer _, infer In> ? In : never;

/** A message of these fields. @throws Error when two fields have one number, or one is out of range */
export function message<F extends MessageFields>(fields: F): Message<Read<F>, Written<F>> {
  const entries = Object.entries(fields) as [string, Field<unknown, unknown>][];
  const byNumber = new Map(entries.map((entry) => [entry[1].number, entry]));
  if (byNumber.size !== entries.length) throw new Error('two fields of a message have the same number');
  const ordered = [...entries].sort(([, a], [, b]) => a.number - b.number);

  const zero = () => {
    const value: Record<string, unknown> = {};
    for (const [name, field] of entries) value[name] = field.zero();
    return value;
  };
  const readInto = (reader: Reader, into: Record<string, unknown>): Read<F> => {
    while (!reader.done) {
      const tag = reader.tag();
      const known = byNumber.get(Math.floor(tag / 8));
      if (known) into[known[0]] = known[1].read(reader, tag % 8, into[known[0]]);
      else reader.skip(tag);
    }
    return into as Read<F>;
  };
  const writeAll = (writer: Writer, value: Written<F>): void => {
    for (const [name, field] of ordered) {
      const one = (value as Readonly<Record<string, unknown>>)[name];
      if (one !== undefined) field.write(writer, one);
    }
  };
  return {
    layout: wire.bytes,
    zero: () => zero() as Read<F>,
    read: (reader, before) =>
      reader.within(() => readInto(reader, (before as Record<string, unknown> | undefined) ?? zero())),
    write: (writer, value) => writer.within((inner) => writeAll(inner, value)),
    isZero: () => false,
    decode: (bytes) => readInto(new Reader(bytes), zero()),
    encode(value) {
      const writer = new Writer();
      writeAll(writer, value);
      return writer.written;
    },
  };
}
