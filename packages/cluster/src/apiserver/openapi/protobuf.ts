import { BackWriter } from './back-writer.ts';

/**
 * Just enough of the protobuf wire format to write OpenAPI documents in their protobuf form: a message is a list of fields, a field takes
 * the value at a key of the JSON form. Everything is written from its end to its beginning.
 */

/** Writes a field of this number with a value of the JSON form; nothing for a value that has no place in it. */
export type Coder = (writer: BackWriter, number: number, value: unknown) => void;

/** Writes a message from its JSON form. */
export type Message = (writer: BackWriter, value: unknown) => void;

export type Fields = readonly (readonly [key: string, number: number, coder: Coder])[];

type Json = Readonly<Record<string, unknown>>;

const wire = { varint: 0, double: 1, delimited: 2 } as const;

/** A field of text or of a message: what `write` writes, its length, and the tag. */
function delimited(writer: BackWriter, number: number, write: () => void): void {
  const before = writer.length;
  write();
  writer.varint(writer.length - before);
  writer.varint(number * 8 + wire.delimited);
}

export const text: Coder = (writer, number, value) => {
  if (typeof value === 'string' && value !== '') delimited(writer, number, () => writer.text(value));
};

export const bool: Coder = (writer, number, value) => {
  if (value !== true) return;
  writer.varint(1);
  writer.varint(number * 8 + wire.varint);
};

/** Whole numbers, 64 bits. */
export const int: Coder = (writer, number, value) => {
  if (typeof value !== 'number' || value === 0) return;
  if (value > 0) writer.varint(value);
  else writer.negative(value);
  writer.varint(number * 8 + wire.varint);
};

export const double: Coder = (writer, number, value) => {
  if (typeof value !== 'number' || value === 0) return;
  writer.double(value);
  writer.varint(number * 8 + wire.double);
};

/** A value of any form, as YAML text (which JSON is) in a message of its own. */
export const any: Coder = (writer, number, value) => {
  if (value !== undefined) delimited(writer, number, () => text(writer, 2, `${JSON.stringify(value)}\n`));
};

/** A field for each entry of a list. */
export const each =
  (coder: Coder): Coder =>
  (writer, number, value) => {
    if (!Array.isArray(value)) return;
    for (let i = value.length - 1; i >= 0; i--) coder(writer, number, value[i]);
  };

export const one =
  (message: Message): Coder =>
  (writer, number, value) => {
    if (value !== undefined) delimited(writer, number, () => message(writer, value));
  };

/** A field for each entry of a map: its name, and its value. */
export const named =
  (message: Message): Coder =>
  (writer, number, value) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, entry] of Object.entries(value).reverse()) {
      delimited(writer, number, () => {
        delimited(writer, 2, () => message(writer, entry));
        text(writer, 1, name);
      });
    }
  };

/** A message of these fields. `extensions` is the number under which keys beginning with `x-` are written. */
export function message(fields: Fields, extensions?: number): Message {
  const backwards = [...fields].reverse();
  return (writer, value) => {
    const from = (typeof value === 'object' && value !== null ? value : {}) as Json;
    if (extensions !== undefined) {
      for (const key of Object.keys(from).reverse()) {
        if (!key.startsWith('x-')) continue;
        delimited(writer, extensions, () => {
          any(writer, 2, from[key]);
          text(writer, 1, key);
        });
      }
    }
    for (const [key, number, coder] of backwards) coder(writer, number, from[key]);
  };
}

/** A message of one field, whose value is the whole: wrappers of lists, maps and choices. */
export const wrapper =
  (number: number, coder: Coder): Message =>
  (writer, value) =>
    coder(writer, number, value);

/** One message or another, by the value. */
export const choice =
  (choose: (value: Json) => Message): Message =>
  (writer, value) =>
    choose((typeof value === 'object' && value !== null ? value : {}) as Json)(writer, value);

/** The bytes of a message. */
export function bytesOf(message: Message, value: unknown): Buffer {
  const writer = new BackWriter();
  message(writer, value);
  return writer.bytes();
}
