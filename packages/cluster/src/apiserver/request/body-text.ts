/** A body as it came over a wire: what messages about it quote, and what its value does not say. */
export interface BodyText {
  readonly bytes: Uint8Array;
  readonly format: 'json' | 'yaml' | 'protobuf';
  /** Why the bytes could not be read, in the words of Go's decoders (of JSON: of the one that looks for the kind); `body` is absent then. */
  readonly fault?: string;
  /** Keys that a mapping of YAML has more than once, as its reader tells them: `line 7: key "k" already set in map`. */
  readonly repeated?: readonly string[];
  /** There are numbers in the JSON that are written in another way than their value is. */
  readonly literalNumbers?: boolean;
  /** The first number that no double holds (`1e400`); in the body it is 0. */
  readonly huge?: string;
}

const shownBytes = 30;

/** The start of a body as messages quote it: JSON objects as they are, all else in hexadecimal. */
export function summaryOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const start = Buffer.from(bytes.subarray(0, shownBytes));
  const text = bytes[0] === 0x7b ? start.toString('utf8') : start.toString('hex');
  return bytes.length > shownBytes ? `${text} ...` : text;
}
