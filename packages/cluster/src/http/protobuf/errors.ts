/** Bytes that are not the message they should be. The message is the reason, in the words of Go's decoder where it has some. */
export class ProtobufError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtobufError';
  }
}
