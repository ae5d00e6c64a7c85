import { protobufTable } from '@coxswain/k8s/protobuf';
import type { MessageCodec } from './codec.ts';
import { specialForms } from './forms.ts';
import { messageCodec } from './message.ts';
import { Reader } from './reader.ts';
import { ReverseWriter } from './writer.ts';

const codecs = new Map<string, MessageCodec>();
const forms = specialForms(codecOf);

/** The codec of a message of the table, made on first use. @throws Error for names that are not in the table */
export function codecOf(name: string): MessageCodec {
  let codec = codecs.get(name);
  if (!codec) {
    const { messages } = protobufTable();
    const message = Object.hasOwn(messages, name) ? messages[name] : undefined;
    const form = typeof message === 'string' ? forms[message] : undefined;
    if (message === undefined || (typeof message === 'string' && !form)) throw new Error(`no message ${name}`);
    codec =
      form ?? messageCodec(message as Exclude<typeof message, string>, name.slice(0, name.lastIndexOf('.')), codecOf);
    codecs.set(name, codec);
  }
  return codec;
}

const writer = new ReverseWriter();

/** A JSON value as the bytes of a message, the same that Go writes. */
export function encodeMessage(name: string, value: unknown): Buffer {
  try {
    codecOf(name).write(writer, value);
    return writer.take();
  } finally {
    writer.clear();
  }
}

/**
 * The JSON value of a message: what Go's encoder would write of the decoded struct, except that absent fields stay absent.
 * @throws ProtobufError
 */
export function decodeMessage(name: string, bytes: Buffer): unknown {
  return codecOf(name).read(new Reader(bytes), undefined);
}
