import type { ProtobufField } from '@coxswain/k8s/protobuf';
import type { CodecOf, MessageCodec } from './codec.ts';
import { ProtobufError } from './errors.ts';
import { Reader, wire } from './reader.ts';
import { type Scalar, scalars } from './scalars.ts';
import { ReverseWriter } from './writer.ts';

type JsonObject = Record<string, unknown>;

/** One field, ready to be read and written. */
interface FieldCodec {
  readonly json: string;
  readonly number: number;
  /** Writes tag, length and content of every value; nothing when there is none. */
  write(writer: ReverseWriter, object: JsonObject): void;
  read(reader: Reader, wireType: number, object: JsonObject): void;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets a key from outside: no name of a key may reach the prototype. */
function put(object: JsonObject, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function expectWire(json: string, expected: number, found: number): void {
  if (expected !== found) throw new ProtobufError(`proto: wrong wireType = ${found} for field ${json}`);
}

/** One value of a field, be it scalar or message: with its length, without its tag. */
interface ValueCodec {
  readonly wireType: number;
  write(writer: ReverseWriter, value: unknown): void;
  read(reader: Reader, into: unknown): unknown;
  /** Whether JSON in Go would leave the value out when the field says `omitempty`. */
  isZero(value: unknown): boolean;
  /** What a map holds under a key that came without a value. */
  zero(): unknown;
}

function scalarValue(scalar: Scalar): ValueCodec {
  return {
    wireType: scalar.wireType,
    zero: () => scalar.zero,
    isZero: (value) => value === scalar.zero,
    read: (reader) => scalar.read(reader),
    write: (writer, value) => scalar.write(writer, value ?? scalar.zero),
  };
}

function messageValue(codec: () => MessageCodec): ValueCodec {
  let nothing: Buffer | undefined;
  const empty = (): Buffer => {
    if (!nothing) {
      const writer = new ReverseWriter();
      codec().write(writer, undefined);
      nothing = writer.take();
    }
    return nothing;
  };
  return {
    wireType: wire.bytes,
    zero: () => codec().read(new Reader(Buffer.alloc(0)), undefined),
    isZero: () => false,
    write(writer, value) {
      const before = writer.length;
      if (value === undefined || value === null) writer.bytes(empty());
      else codec().write(writer, value);
      writer.uint(writer.length - before);
    },
    read(reader, into) {
      let value = into;
      reader.message(() => {
        value = codec().read(reader, into);
      });
      return value;
    },
  };
}

function singleField([json, number, type, flags]: ProtobufField, value: ValueCodec): FieldCodec {
  const tag = number * 8 + value.wireType;
  // Pointers, and bytes, which are a slice in Go, are written when they are there; everything else always.
  const optional = flags.includes('p') || type === 'bytes';
  const dropsZero = flags.includes('o') && !flags.includes('p');
  const dropsNull = flags.includes('z');
  return {
    json,
    number,
    write(writer, object) {
      const given = object[json];
      if ((given === undefined || given === null) && optional) return;
      value.write(writer, given);
      writer.uint(tag);
    },
    read(reader, wireType, object) {
      expectWire(json, value.wireType, wireType);
      const found = value.read(reader, object[json]);
      if ((dropsZero && value.isZero(found)) || (dropsNull && found === null)) delete object[json];
      else object[json] = found;
    },
  };
}

function repeatedField([json, number]: ProtobufField, value: ValueCodec): FieldCodec {
  const tag = number * 8 + value.wireType;
  return {
    json,
    number,
    write(writer, object) {
      const list = object[json];
      if (!Array.isArray(list)) return;
      for (let index = list.length - 1; index >= 0; index--) {
        value.write(writer, list[index]);
        writer.uint(tag);
      }
    },
    read(reader, wireType, object) {
      let list = object[json] as unknown[] | undefined;
      if (list === undefined) {
        list = [];
        object[json] = list;
      }
      const into = list;
      // Numbers may also come packed into one value.
      if (wireType === wire.bytes && value.wireType !== wire.bytes) {
        reader.message(() => {
          while (!reader.done) into.push(value.read(reader, undefined));
        });
        return;
      }
      expectWire(json, value.wireType, wireType);
      into.push(value.read(reader, undefined));
    },
  };
}

const keyTag = 1 * 8 + wire.bytes;

function mapField([json, number]: ProtobufField, value: ValueCodec): FieldCodec {
  const tag = number * 8 + wire.bytes;
  const valueTag = 2 * 8 + value.wireType;
  return {
    json,
    number,
    write(writer, object) {
      const map = object[json];
      if (!isObject(map)) return;
      const keys = Object.keys(map).sort();
      for (let index = keys.length - 1; index >= 0; index--) {
        const key = keys[index] as string;
        const before = writer.length;
        value.write(writer, map[key]);
        writer.uint(valueTag);
        writer.string(key);
        writer.uint(keyTag);
        writer.uint(writer.length - before);
        writer.uint(tag);
      }
    },
    read(reader, wireType, object) {
      expectWire(json, wire.bytes, wireType);
      let map = object[json] as JsonObject | undefined;
      if (map === undefined) {
        map = {};
        object[json] = map;
      }
      const into = map;
      reader.message(() => {
        let key = '';
        let found: unknown;
        while (!reader.done) {
          const entryTag = reader.tag();
          if (entryTag === keyTag) key = reader.string();
          else if (entryTag === valueTag) found = value.read(reader, found);
          else reader.skip(entryTag);
        }
        put(into, key, found === undefined ? value.zero() : found);
      });
    },
  };
}

/** A struct that Go embeds: a message on the wire, but its fields are those of the object around it. */
function inlineField([json, number]: ProtobufField, codec: () => MessageCodec): FieldCodec {
  const tag = number * 8 + wire.bytes;
  return {
    json,
    number,
    write(writer, object) {
      const before = writer.length;
      codec().write(writer, object);
      writer.uint(writer.length - before);
      writer.uint(tag);
    },
    read(reader, wireType, object) {
      expectWire(json, wire.bytes, wireType);
      reader.message(() => void codec().read(reader, object));
    },
  };
}

function fieldCodec(field: ProtobufField, packageName: string, codecOf: CodecOf): FieldCodec {
  const [, , type, flags] = field;
  const scalar = scalars[type];
  const message = type.includes('.') ? type : `${packageName}.${type}`;
  if (flags.includes('i')) return inlineField(field, () => codecOf(message));
  const value = scalar ? scalarValue(scalar) : messageValue(() => codecOf(message));
  if (flags.includes('m')) return mapField(field, value);
  return flags.includes('r') ? repeatedField(field, value) : singleField(field, value);
}

/** The codec of a message with fields. What is written is what Go writes: plain fields also when they are zero. */
export function messageCodec(fields: readonly ProtobufField[], packageName: string, codecOf: CodecOf): MessageCodec {
  const codecs = fields.map((field) => fieldCodec(field, packageName, codecOf));
  const last = codecs.length - 1;
  const byNumber: (FieldCodec | undefined)[] = [];
  for (const codec of codecs) byNumber[codec.number] = codec;
  const nothing: JsonObject = {};
  return {
    write(writer, value) {
      const object = isObject(value) ? value : nothing;
      for (let index = last; index >= 0; index--) codecs[index]?.write(writer, object);
    },
    read(reader, into) {
      const object = isObject(into) ? into : {};
      while (!reader.done) {
        const tag = reader.tag();
        const field = byNumber[Math.floor(tag / 8)];
        if (field) field.read(reader, tag % 8, object);
        else reader.skip(tag);
      }
      return object;
    },
  };
}
