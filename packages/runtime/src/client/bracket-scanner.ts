const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBracket = 0x5d;
const closeBrace = 0x7d;

/** Follows the brackets of a JSON text that comes in chunks, without parsing it: about a tenth of what parsing takes. */
export class BracketScanner {
  /** How many objects and arrays are open at the place where the scan stands. */
  depth = 0;
  readonly #deepest: number;
  #inText = false;
  #escaped = false;

  /** @param deepest brackets of greater depth are passed over */
  constructor(deepest: number) {
    this.#deepest = deepest;
  }

  /**
   * Reads on to the next bracket that opens something at no more than the deepest depth, or after which no more than that is open.
   * @returns the place behind it; -1 when the chunk has no more
   */
  next(chunk: Buffer, from: number): number {
    const deepest = this.#deepest;
    let [depth, inText, escaped] = [this.depth, this.#inText, this.#escaped];
    let found = -1;
    for (let at = from; at < chunk.length && found < 0; at++) {
      const byte = chunk[at];
      if (inText) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) inText = false;
      } else if (byte === quote) {
        inText = true;
      } else if (byte === openBrace || byte === openBracket) {
        if (++depth <= deepest) found = at + 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        if (--depth <= deepest) found = at + 1;
      }
    }
    this.depth = depth;
    this.#inText = inText;
    this.#escaped = escaped;
    return found;
  }
}
