/** SPDY/3.1 §2.6. */
export const frameTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** Why a stream is reset: SPDY/3.1 §2.6.3. */
export const resetCodes = { protocolError: 1, refused: 3, cancel: 5 } as const;

/** The peer broke the protocol in a way that leaves the connection without use. */
export class SpdyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SpdyError';
  }
}

/** What a client sent. */
export type SpdyFrame =
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly body: Buffer }
  /** A piece of a data frame, as it arrives; `fin` with the last piece of a stream. */
  | { readonly kind: 'data'; readonly stream: number; readonly payload: Buffer; readonly fin: boolean };

/** A control frame is collected before it is understood; none that makes sense is longer. */
const controlLimit = 64 * 1024;
const headLength = 8;

/** Cuts what arrives into frames. Holds one control frame at most. */
export class SpdyParser {
  #held: Buffer = Buffer.alloc(0);
  /** The data frame that is arriving. */
  #data: { readonly stream: number; readonly fin: boolean; left: number } | undefined;

  /** @throws SpdyError */
  push(chunk: Buffer): SpdyFrame[] {
    const frames: SpdyFrame[] = [];
    let rest = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    for (;;) {
      if (this.#data) {
        if (rest.length === 0 && this.#data.left > 0) break;
        const payload = rest.subarray(0, this.#data.left);
        rest = rest.subarray(payload.length);
        frames.push(this.#piece(this.#data, payload));
        continue;
      }
      if (rest.length < headLength) break;
      const length = rest.readUIntBE(5, 3);
      if (((rest[0] as number) & 0x80) === 0) {
        this.#data = { stream: rest.readUInt32BE(0), fin: ((rest[4] as number) & 1) !== 0, left: length };
        rest = rest.subarray(headLength);
        continue;
      }
      if (rest.readUInt16BE(0) !== 0x8003) throw new SpdyError('a frame is not of version 3');
      if (length > controlLimit) throw new SpdyError(`a control frame of ${length} bytes is too long`);
      if (rest.length < headLength + length) break;
      const body = rest.subarray(headLength, headLength + length);
      frames.push({ kind: 'control', type: rest.readUInt16BE(2), flags: rest[4] as number, body });
      rest = rest.subarray(headLength + length);
    }
    this.#held = Buffer.from(rest);
    return frames;
  }

  #piece(frame: { readonly stream: number; readonly fin: boolean; left: number }, payload: Buffer): SpdyFrame {
    frame.left -= payload.length;
    if (frame.left === 0) this.#data = undefined;
    return { kind: 'data', stream: frame.stream, payload, fin: frame.fin && frame.left === 0 };
  }
}

export function controlFrame(type: number, body: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt16BE(0x8003, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(((flags << 24) | body.length) >>> 0, 4);
  return Buffer.concat([head, body]);
}

export function dataFrame(stream: number, payload: Buffer, fin: boolean): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt32BE(stream, 0);
  head.writeUInt32BE((((fin ? 1 : 0) << 24) | payload.length) >>> 0, 4);
  return Buffer.concat([head, payload]);
}

/** Numbers of four bytes, one after the other. */
export function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * index);
  return bytes;
}
