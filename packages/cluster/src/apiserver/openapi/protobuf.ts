/**
 * Just enough of the protobuf wire format to write OpenAPI documents in their protobuf form: a message is a list of fields, a field takes
 * the value at a key of the JSON form.
 */

/** Writes a field of this number with a value of the JSON form; nothing for a value that has no place in it. */
export type Coder = (number: number, value: unknown) => Buffer;

/** A message: from its JSON form to its bytes. */
export type Message = (value: unknown) => Buffer;

export type Fields = readonly (readonly [key: string, number: number, coder: Coder])[];

const nothing = Buffer.alloc(0);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** A field of text, bytes or a message. */
export function delimited(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

export const text: Coder = (number, value) =>
  typeof value === 'string' && value !== '' ? delimited(number, Buffer.from(value)) : nothing;

export const bool: Coder = (number, value) =>
  value === true ? Buffer.concat([varint(number * 8), varint(1)]) : nothing;

/** Whole numbers, 64 bits. */
export const int: Coder = (number, value) => {
  if (typeof value !== 'number' || value === 0) return nothing;
  if (value > 0) return Buffer.concat([varint(number * 8), varint(value)]);
  let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.concat([varint(number * 8), Buffer.from([...bytes, Number(rest)])]);
};

export const double: Coder = (number, value) => {
  if (typeof value !== 'number' || value === 0) return nothing;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
};

/** A value of any form, as YAML text (which JSON is) in a message of its own. */
export const any: Coder = (number, value) =>
  value === undefined ? nothing : delimited(number, delimited(2, Buffer.from(`${JSON.stringify(value)}\n`)));

/** A field for each entry of a list. */
export const each =
  (coder: Coder): Coder =>
  (number, value) =>
    Array.isArray(value) ? Buffer.concat(value.map((entry) => coder(number, entry))) : nothing;

export const one =
  (message: Message): Coder =>
  (number, value) =>
    value === undefined ? nothing : delimited(number, message(value));

/** A field for each entry of a map: its name, and its value. */
export const named =
  (message: Message): Coder =>
  (number, value) =>
    typeof value === 'object' && value !== null
      ? Buffer.concat(
          Object.entries(value).map(([name, entry]) =>
            delimited(number, Buffer.concat([text(1, name), delimited(2, message(entry))])),
          ),
        )
      : nothing;

/** A message of these fields. `extensions` is the number under which keys beginning with `x-` are written. */
export function message(fields: Fields, extensions?: number): Message {
  return (value) => {
    const from = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
    const parts = fields.map(([key, number, coder]) => coder(number, from[key]));
    if (extensions !== undefined) {
      for (const [key, extension] of Object.entries(from)) {
        if (!key.startsWith('x-')) continue;
        parts.push(delimited(extensions, Buffer.concat([text(1, key), any(2, extension)])));
      }
    }
    return Buffer.concat(parts);
  };
}

/** A message of one field, whose value is the whole: wrappers of lists, maps and choices. */
export const wrapper =
  (number: number, coder: Coder): Message =>
  (value) =>
    coder(number, value);

/** One message or another, by the value. */
export const choice =
  (choose: (value: Readonly<Record<string, unknown>>) => Message): Message =>
  (value) =>
    choose((typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>)(value);
