import { ProtobufError } from './errors.ts';
import { Reader, wire } from './reader.ts';
import { ReverseWriter } from './writer.ts';

/** What every object in protobuf begins with. */
const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** What an envelope says of its content. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

function readType(reader: Reader, type: { apiVersion: string; kind: string }): void {
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === 1 * 8 + wire.bytes) type.apiVersion = reader.string();
    else if (tag === 2 * 8 + wire.bytes) type.kind = reader.string();
    else reader.skip(tag);
  }
}

/** Type and content of an enveloped object. @throws ProtobufError */
export function openEnvelope(bytes: Buffer): TypeMeta & { readonly raw: Buffer } {
  if (bytes.length < magic.length || bytes.compare(magic, 0, magic.length, 0, magic.length) !== 0)
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  if (bytes.length === magic.length) throw new ProtobufError('empty body');
  const reader = new Reader(bytes.subarray(magic.length));
  const type = { apiVersion: '', kind: '' };
  let raw: Buffer = Buffer.alloc(0);
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === 1 * 8 + wire.bytes) reader.message(() => readType(reader, type));
    else if (tag === 2 * 8 + wire.bytes) raw = reader.bytes();
    else reader.skip(tag);
  }
  return { ...type, raw };
}

/** `contentEncoding` and `contentType`, both empty. */
const tail = Buffer.from([3 * 8 + wire.bytes, 0, 4 * 8 + wire.bytes, 0]);

/** What comes before `size` bytes of content. */
function headOf({ apiVersion, kind }: TypeMeta, size: number): Buffer {
  const writer = new ReverseWriter(128);
  writer.uint(size);
  writer.uint(2 * 8 + wire.bytes);
  const before = writer.length;
  writer.string(kind);
  writer.uint(2 * 8 + wire.bytes);
  writer.string(apiVersion);
  writer.uint(1 * 8 + wire.bytes);
  writer.uint(writer.length - before);
  writer.uint(1 * 8 + wire.bytes);
  writer.bytes(magic);
  return writer.take();
}

/** An object with its envelope, as parts to be written one after the other. `content` is not copied. */
export function envelope(type: TypeMeta, content: readonly Buffer[]): Buffer[] {
  const size = content.reduce((sum, part) => sum + part.length, 0);
  return [headOf(type, size), ...content, tail];
}
