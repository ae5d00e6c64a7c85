/** Frame types of RFC 6455 §5.2. */
export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** The client broke the protocol: the connection is closed with `code`. */
export class WebSocketError extends Error {
  /** RFC 6455 §7.4.1. */
  readonly code: number;

  constructor(message: string, code = 1002) {
    super(message);
    this.name = 'WebSocketError';
    this.code = code;
  }
}

/** What a client sent. The payload of a message comes in pieces, as it arrives: nothing is collected. */
export type WebSocketEvent =
  /** A piece of a message: `first` and `last` mark its ends. May be empty. */
  | { readonly kind: 'data'; readonly first: boolean; readonly last: boolean; readonly payload: Buffer }
  /** A control frame, whole. */
  | { readonly kind: 'ping' | 'pong' | 'close'; readonly payload: Buffer };

const controlKinds: Readonly<Record<number, 'ping' | 'pong' | 'close'>> = { 8: 'close', 9: 'ping', 10: 'pong' };

interface Frame {
  readonly opcode: number;
  readonly fin: boolean;
  readonly mask: Buffer;
  readonly length: number;
  /** Payload bytes seen so far. */
  taken: number;
}

/** The longest head of a frame: two bytes, a length of eight, a mask of four. */
const longestHead = 14;
const controlLimit = 125;

/** Understands the frames of a client, however they are cut. Holds no more than the head of a frame and a control frame. */
export class WebSocketParser {
  /** The beginning of a head, or of a control frame, whose rest has not come yet. */
  #held: Buffer = Buffer.alloc(0);
  #frame: Frame | undefined;
  /** Inside a message of several frames. */
  #continues = false;

  /** Takes what arrived, and unmasks it in place. @throws WebSocketError */
  push(chunk: Buffer): WebSocketEvent[] {
    const events: WebSocketEvent[] = [];
    let rest = chunk;
    if (this.#held.length > 0) {
      rest = Buffer.concat([this.#held, chunk]);
      this.#held = rest.subarray(0, 0);
    }
    while (rest.length > 0 || this.#frame) {
      if (!this.#frame) {
        const size = this.#begin(rest);
        if (size === 0) break;
        rest = rest.subarray(size);
      }
      const frame = this.#frame as Frame | undefined;
      if (!frame) break;
      const needed = frame.length - frame.taken;
      const isControl = frame.opcode >= 8;
      if (rest.length === 0 && needed > 0) break;
      if (isControl && rest.length < needed) break;
      const payload = unmask(rest.subarray(0, needed), frame);
      rest = rest.subarray(payload.length);
      events.push(isControl ? controlEvent(frame.opcode, payload) : this.#dataEvent(frame, payload));
      if (frame.taken === frame.length) this.#frame = undefined;
    }
    // A copy: the chunk it came in may be large.
    this.#held = Buffer.from(rest);
    return events;
  }

  /** Reads the head of a frame; answers its length, 0 when not all of it is there. */
  #begin(bytes: Buffer): number {
    if (bytes.length < 2) return 0;
    const [first = 0, second = 0] = bytes;
    const opcode = first & 0x0f;
    const fin = (first & 0x80) !== 0;
    this.#check(first, second, opcode, fin);
    const short = second & 0x7f;
    const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
    const size = 2 + extended + 4;
    if (bytes.length < size) return 0;
    const length = extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    if (length > Number.MAX_SAFE_INTEGER) throw new WebSocketError('a frame is longer than any can be');
    this.#frame = { opcode, fin, mask: Buffer.from(bytes.subarray(size - 4, size)), length, taken: 0 };
    return size;
  }

  #check(first: number, second: number, opcode: number, fin: boolean): void {
    if ((first & 0x70) !== 0) throw new WebSocketError('a frame has reserved bits set, but no extension was agreed on');
    if ((second & 0x80) === 0) throw new WebSocketError('a frame of a client is not masked');
    if (opcode >= 8) {
      if (!(opcode in controlKinds)) throw new WebSocketError(`there is no frame type ${opcode}`);
      if (!fin || (second & 0x7f) > controlLimit)
        throw new WebSocketError('a control frame is fragmented, or longer than 125 bytes');
    } else {
      if (opcode > opcodes.binary) throw new WebSocketError(`there is no frame type ${opcode}`);
      if ((opcode === opcodes.continuation) !== this.#continues) {
        throw new WebSocketError(this.#continues ? 'a message begins inside another' : 'nothing is to be continued');
      }
    }
  }

  #dataEvent(frame: Frame, payload: Buffer): WebSocketEvent {
    const first = frame.opcode !== opcodes.continuation && frame.taken === payload.length;
    const last = frame.fin && frame.taken === frame.length;
    if (frame.taken === frame.length) this.#continues = !frame.fin;
    return { kind: 'data', first, last, payload };
  }
}

/** Bytes the parser may hold at most. */
export const heldLimit = longestHead + controlLimit;

function unmask(payload: Buffer, frame: Frame): Buffer {
  const { mask } = frame;
  for (let i = 0, at = frame.taken; i < payload.length; i++, at++) {
    payload[i] = (payload[i] as number) ^ (mask[at & 3] as number);
  }
  frame.taken += payload.length;
  return payload;
}

function controlEvent(opcode: number, payload: Buffer): WebSocketEvent {
  const kind = controlKinds[opcode] as 'ping' | 'pong' | 'close';
  if (kind === 'close' && payload.length > 0 && !isCloseCode(payload)) {
    throw new WebSocketError('a close frame has no valid code');
  }
  return { kind, payload };
}

/** Codes that may be sent: RFC 6455 §7.4, and the registry's later ones. */
function isCloseCode(payload: Buffer): boolean {
  if (payload.length < 2) return false;
  const code = payload.readUInt16BE(0);
  return (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);
}
