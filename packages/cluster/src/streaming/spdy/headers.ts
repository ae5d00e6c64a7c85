import { createInflate, type Inflate } from 'node:zlib';
import { dictionary, zlibHead } from './dictionary.ts';
import { SpdyError } from './frames.ts';

/** Bytes of the headers of one frame, uncompressed. */
const blockLimit = 64 * 1024;

/** Reads compressed header blocks. They are one zlib stream for the whole connection, so every one must be read, in order. */
export class HeaderReader {
  readonly #inflate: Inflate = createInflate({ dictionary });
  #parts: Buffer[] = [];
  #size = 0;
  #fail: (error: Error) => void = () => {};

  constructor() {
    this.#inflate.on('error', (error) => this.#fail(error));
    this.#inflate.on('data', (part: Buffer) => {
      this.#parts.push(part);
      this.#size += part.length;
      if (this.#size > blockLimit) this.#inflate.destroy(new SpdyError('the headers of a frame are too long'));
    });
  }

  /** The headers of a block, names in lower case. @throws SpdyError */
  async read(block: Buffer): Promise<ReadonlyMap<string, string>> {
    this.#parts = [];
    this.#size = 0;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#fail = reject;
        if (this.#inflate.destroyed || this.#inflate.writableEnded) reject(new SpdyError('the headers have ended'));
        this.#inflate.write(block, (error) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      throw error instanceof SpdyError ? error : new SpdyError('the headers of a frame are not compressed as agreed');
    }
    return parse(Buffer.concat(this.#parts));
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/** A number of pairs, then names and values, each behind its length. @throws SpdyError */
function parse(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const number = (): number => {
    if (at + 4 > bytes.length) throw new SpdyError('the headers of a frame are cut off');
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > bytes.length) throw new SpdyError('the headers of a frame are cut off');
    at += length;
    return bytes.toString('latin1', at - length, at);
  };
  for (let pairs = number(); pairs > 0; pairs--) {
    const name = text().toLowerCase();
    headers.set(name, text());
  }
  return headers;
}

/** No headers, as the first block of a connection or a later one: stored without compression, which is one form of it. */
export function emptyBlock(first: boolean): Buffer {
  const stored = [0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0];
  // An empty block tells decoders that all of it is there.
  const flush = [0, 0, 0, 0xff, 0xff];
  return Buffer.concat([...(first ? [zlibHead] : []), Buffer.from([...stored, ...flush])]);
}
