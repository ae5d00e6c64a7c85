import { xxHash64 } from '../identity/index.ts';
import { WireError } from './errors.ts';

/** Bits of a frame's second field. */
export const flags = {
  payload: 0x01,
  checksum: 0x02,
  headers: 0x04,
  compressed: 0x08,
  stream: 0x10,
  ping: 0x20,
  pong: 0x40,
} as const;

/** What all servers accept: 100 MiB of message and 10 MiB around it. In bytes after the size field. */
export const maxFrameSize = 110 * 1024 * 1024;

/** Trace id and span id, which nobody here has any use for. */
const traceLength = 24;
const headersLength = 8 + 1 + traceLength;
const sizeLength = 4;
const maxTimeout = 2n ** 63n - 1n;

/** What a frame carries. */
export interface Frame {
  readonly kind: 'message' | 'ping' | 'pong';
  /** A protobuf message; the 8 bytes of an id when this is a ping or pong. A view of the frame's bytes when read. */
  readonly body: Uint8Array;
  /** Raw bytes beside the message. The log service's frames always have some, even if of length 0; others never. */
  readonly payload: Uint8Array | undefined;
  /** Nanoseconds the sender still waits for an answer; `undefined` when the frame had no headers, which only answers may lack. */
  readonly timeout: bigint | undefined;
}

/** How a frame is written. */
export interface FrameOptions {
  /** Whether the frame carries the XXH64 of body and payload. Default true. */
  readonly checksum?: boolean;
}

/** A frame that can be sent. */
export type OutgoingFrame = Frame & { readonly timeout: bigint };

/**
 * The bytes of a frame for a server, with its size in front. Headers are always written: a server panics, and its process ends, on a
 * frame without them. Nothing is ever compressed.
 * @throws WireError for a frame that {@link decodeRequestFrame} would refuse
 */
export function encodeRequestFrame(frame: OutgoingFrame, options?: FrameOptions): Buffer {
  const bytes = encodeFrame(frame, options);
  decodeRequestFrame(bytes.subarray(sizeLength));
  return bytes;
}

/**
 * The bytes of a frame for a client, with its size in front.
 * @throws WireError for a frame that {@link decodeFrame} would refuse
 */
export function encodeAnswerFrame(frame: OutgoingFrame, options?: FrameOptions): Buffer {
  const bytes = encodeFrame(frame, options);
  decodeFrame(bytes.subarray(sizeLength));
  return bytes;
}

function encodeFrame(frame: OutgoingFrame, { checksum = true }: FrameOptions = {}): Buffer {
  const { kind, body, payload, timeout } = frame;
  const hash = checksum ? 8 : 0;
  const headersAt = sizeLength + 1 + hash + (payload ? 4 : 0);
  const bodyAt = headersAt + headersLength;
  const size = bodyAt - sizeLength + body.length + (payload?.length ?? 0);
  if (size > maxFrameSize) throw new WireError(`morpc: a frame of ${size} bytes is larger than servers accept`);
  if (timeout <= 0n || timeout > maxTimeout) throw new WireError(`morpc: a timeout of ${timeout} ns cannot be sent`);
  const bytes = Buffer.alloc(sizeLength + size);
  bytes.writeUInt32BE(size, 0);
  bytes[sizeLength] =
    flags.headers |
    (payload ? flags.payload : 0) |
    (checksum ? flags.checksum : 0) |
    (kind === 'message' ? 0 : flags[kind]);
  if (payload) bytes.writeUInt32BE(payload.length, sizeLength + 1 + hash);
  bytes.writeBigInt64BE(timeout, headersAt);
  bytes[headersAt + 8] = traceLength;
  bytes.set(body, bodyAt);
  if (payload) bytes.set(payload, bodyAt + body.length);
  if (checksum) bytes.writeBigUInt64BE(xxHash64(bytes.subarray(bodyAt)), sizeLength + 1);
  return bytes;
}

/** Takes parts off the front of a frame. */
class Parts {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  take(count: number, what: string): Buffer {
    const part = this.#bytes.subarray(this.#at, this.#at + count);
    if (part.length < count)
      throw new WireError(`morpc: the frame of ${this.#bytes.length} bytes ends within its ${what}`);
    this.#at += count;
    return part;
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }
}

function readHeaders(parts: Parts, strict: boolean): bigint {
  const timeout = parts.take(8, 'timeout').readBigInt64BE();
  const length = parts.take(1, 'trace').readUInt8();
  if (strict && length !== traceLength)
    throw new WireError(`morpc: a trace of ${length} bytes instead of ${traceLength}`);
  parts.take(length, 'trace');
  return timeout;
}

function kindOf(flag: number): Frame['kind'] {
  if (flag & flags.ping) return 'ping';
  return flag & flags.pong ? 'pong' : 'message';
}

function checkFlag(flag: number): void {
  const has = (bit: number) => (flag & bit) !== 0;
  const hex = `0x${flag.toString(16).padStart(2, '0')}`;
  if (has(0x80)) throw new WireError(`morpc: flag ${hex} has a bit that means nothing`);
  if (has(flags.compressed)) throw new WireError(`morpc: flag ${hex} says compressed, which was not agreed on`);
  if (has(flags.stream)) throw new WireError(`morpc: flag ${hex} says part of a stream, and no stream is open`);
  if (has(flags.ping) && has(flags.pong)) throw new WireError(`morpc: flag ${hex} says both ping and pong`);
}

/**
 * Reads an answer's frame, without its size in front. It may lack headers and checksum; a checksum that is there has to fit.
 * @throws WireError
 */
export function decodeFrame(bytes: Uint8Array): Frame {
  return readFrame(bytes, false);
}

function readFrame(bytes: Uint8Array, strict: boolean): Frame {
  const parts = new Parts(bytes);
  const flag = parts.take(1, 'flag').readUInt8();
  checkFlag(flag);
  const checksum = flag & flags.checksum ? parts.take(8, 'checksum').readBigUInt64BE() : undefined;
  const payloadLength = flag & flags.payload ? parts.take(4, 'payload size').readUInt32BE() : undefined;
  const timeout = flag & flags.headers ? readHeaders(parts, strict) : undefined;
  const content = parts.rest();
  if (checksum !== undefined && xxHash64(content) !== checksum) {
    throw new WireError(`morpc: the checksum of ${content.length} bytes does not fit`);
  }
  const bodyLength = content.length - (payloadLength ?? 0);
  if (bodyLength < 0) throw new WireError(`morpc: a payload of ${payloadLength} bytes in ${content.length}`);
  const kind = kindOf(flag);
  if (kind !== 'message' && bodyLength !== 8) throw new WireError(`morpc: a ${kind} with ${bodyLength} bytes of id`);
  if (kind !== 'message' && payloadLength !== undefined) throw new WireError(`morpc: a ${kind} with a payload`);
  const body = content.subarray(0, bodyLength);
  return { kind, body, payload: payloadLength === undefined ? undefined : content.subarray(bodyLength), timeout };
}

/**
 * Reads a frame as servers do that live on: a message or a ping, with headers, a timeout above zero and a trace of 24 bytes.
 * @throws WireError also for frames that would end a real server's process
 */
export function decodeRequestFrame(bytes: Uint8Array): OutgoingFrame {
  const frame = readFrame(bytes, true);
  const { kind, timeout, body } = frame;
  // Servers send no pings, and so expect no answer to one.
  if (kind === 'pong') throw new WireError('morpc: a pong to a server; a real one would panic');
  if (timeout === undefined) throw new WireError('morpc: a request without headers; a real server would panic');
  if (timeout <= 0n) throw new WireError(`morpc: a request with a timeout of ${timeout} ns`);
  if (body.length === 0) throw new WireError('morpc: a request without a message');
  return { ...frame, timeout };
}
