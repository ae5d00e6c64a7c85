import { parseJson, stringifyJson } from '@coxswain/runtime/client';
import type { CodecOf, MessageCodec } from './codec.ts';
import { ProtobufError } from './errors.ts';
import { type Reader, wire } from './reader.ts';
import { textOf, whole } from './scalars.ts';
import { microTime, time } from './time.ts';
import type { ReverseWriter } from './writer.ts';

const bytesField = (number: number): number => number * 8 + wire.bytes;
const varintField = (number: number): number => number * 8 + wire.varint;

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

/** Calls `field` for each field of the message; it answers whether it knew the tag and read the value. */
function eachField(reader: Reader, field: (tag: number) => boolean): void {
  while (!reader.done) {
    const tag = reader.tag();
    if (!field(tag)) reader.skip(tag);
  }
}

const quantity: MessageCodec = {
  write(writer, value) {
    writer.string(textOf(value) || '0');
    writer.uint(bytesField(1));
  },
  read(reader) {
    let text = '0';
    eachField(reader, (tag) => {
      if (tag !== bytesField(1)) return false;
      text = reader.string() || '0';
      return true;
    });
    return text;
  },
};

const intOrString: MessageCodec = {
  write(writer, value) {
    const text = typeof value === 'string';
    writer.string(text ? value : '');
    writer.uint(bytesField(3));
    writer.int(whole(value));
    writer.uint(varintField(2));
    writer.uint(text ? 1 : 0);
    writer.uint(varintField(1));
  },
  read(reader) {
    let type = 0;
    let number = 0;
    let text = '';
    eachField(reader, (tag) => {
      if (tag === varintField(1)) type = Number(reader.int64());
      else if (tag === varintField(2)) number = reader.int32();
      else if (tag === bytesField(3)) text = reader.string();
      else return false;
      return true;
    });
    if (type !== 0 && type !== 1) throw new ProtobufError('impossible IntOrString.Type');
    return type === 0 ? number : text;
  },
};

/** A message whose only field is the text of a JSON value. */
const jsonText: MessageCodec = {
  write(writer, value) {
    if (isAbsent(value)) return;
    writer.string(stringifyJson(value) ?? 'null');
    writer.uint(bytesField(1));
  },
  read(reader) {
    let value: unknown = null;
    eachField(reader, (tag) => {
      if (tag !== bytesField(1)) return false;
      value = parseEmbedded(reader.bytes());
      return true;
    });
    return value;
  },
};

function parseEmbedded(bytes: Buffer): unknown {
  if (bytes.length === 0) return null;
  try {
    return parseJson(bytes.toString('utf8'));
  } catch (error) {
    throw new ProtobufError(`an embedded value is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Lists that Go had to wrap in a message: `items = 1`. */
const strings: MessageCodec = {
  write(writer, value) {
    if (!Array.isArray(value)) return;
    for (let index = value.length - 1; index >= 0; index--) {
      writer.string(textOf(value[index]));
      writer.uint(bytesField(1));
    }
  },
  read(reader, into) {
    const items: string[] = Array.isArray(into) ? into : [];
    eachField(reader, (tag) => {
      if (tag !== bytesField(1)) return false;
      items.push(reader.string());
      return true;
    });
    return items;
  },
};

function writeMessage(writer: ReverseWriter, codec: MessageCodec, number: number, value: unknown): void {
  const before = writer.length;
  codec.write(writer, value);
  writer.uint(writer.length - before);
  writer.uint(bytesField(number));
}

function readMessage(reader: Reader, codec: MessageCodec): unknown {
  let value: unknown;
  reader.message(() => {
    value = codec.read(reader, undefined);
  });
  return value;
}

function append(list: unknown, item: unknown): unknown[] {
  if (!Array.isArray(list)) return [item];
  list.push(item);
  return list;
}

/** Either a schema, or something else in field `other`. */
function schemaOr(
  schema: () => MessageCodec,
  other: {
    readonly tag: number;
    write(writer: ReverseWriter, value: unknown): void;
    read(reader: Reader, into: unknown): unknown;
  },
  schemaTag: 1 | 2,
): MessageCodec {
  const isSchema = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return {
    write(writer, value) {
      if (schemaTag === 2 && isSchema(value)) writeMessage(writer, schema(), 2, value);
      other.write(writer, value);
      if (schemaTag === 1 && isSchema(value)) writeMessage(writer, schema(), 1, value);
    },
    read(reader) {
      let found: unknown;
      let alternative: unknown;
      eachField(reader, (tag) => {
        if (tag === bytesField(schemaTag)) found = readMessage(reader, schema());
        else if (tag === other.tag) alternative = other.read(reader, alternative);
        else return false;
        return true;
      });
      if (schemaTag === 2) return found ?? alternative ?? false;
      return alternative ?? found ?? null;
    },
  };
}

const schemaName = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

/** The messages whose JSON form is their own, by the names of the table. */
export function specialForms(codecOf: CodecOf): Readonly<Record<string, MessageCodec>> {
  const schema = () => codecOf(schemaName);
  return {
    quantity,
    intOrString,
    time,
    microTime,
    strings,
    json: jsonText,
    raw: jsonText,
    schemaOrBool: schemaOr(
      schema,
      {
        tag: varintField(1),
        write(writer, value) {
          writer.uint(isAbsent(value) || value === false ? 0 : 1);
          writer.uint(varintField(1));
        },
        read: (reader) => reader.uint() !== 0,
      },
      2,
    ),
    schemaOrArray: schemaOr(
      schema,
      {
        tag: bytesField(2),
        write(writer, value) {
          if (!Array.isArray(value)) return;
          for (let index = value.length - 1; index >= 0; index--) writeMessage(writer, schema(), 2, value[index]);
        },
        read: (reader, into) => append(into, readMessage(reader, schema())),
      },
      1,
    ),
    schemaOrStrings: schemaOr(
      schema,
      {
        tag: bytesField(2),
        write(writer, value) {
          if (!Array.isArray(value)) return;
          for (let index = value.length - 1; index >= 0; index--) {
            writer.string(textOf(value[index]));
            writer.uint(bytesField(2));
          }
        },
        read: (reader, into) => append(into, reader.string()),
      },
      1,
    ),
  };
}
