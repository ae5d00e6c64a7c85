import type { Reader } from './reader.ts';
import type { ReverseWriter } from './writer.ts';

/** How the content of one message is read and written; tag and length around it are the field's. */
export interface MessageCodec {
  /** Writes the content. Absent values are `undefined` or `null`. */
  write(writer: ReverseWriter, value: unknown): void;
  /**
   * Reads to the end of the message.
   * @param into what an earlier part of the same field answered; protobuf merges them
   * @throws ProtobufError
   */
  read(reader: Reader, into: unknown): unknown;
}

/** The codec of another message, when it is first needed: messages refer to each other in circles. */
export type CodecOf = (message: string) => MessageCodec;
