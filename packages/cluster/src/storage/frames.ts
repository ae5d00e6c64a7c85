import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/**
 * Files of the data directory are an 8-byte mark followed by frames: length (u32 LE), CRC-32 of the payload (u32 LE), payload.
 */
export const headerBytes = 8;
export const markBytes = 8;

/** A length above this cannot be right. */
const largestFrame = 256 * 1024 * 1024;
const chunkBytes = 1024 * 1024;

/** Appends the frame whose payload is the joined `parts` to `out`. Answers its size. */
export function pushFrame(out: Buffer[], parts: readonly Buffer[]): number {
  const header = Buffer.allocUnsafe(headerBytes);
  let length = 0;
  let crc = 0;
  for (const part of parts) {
    length += part.length;
    crc = crc32(part, crc);
  }
  header.writeUInt32LE(length, 0);
  header.writeUInt32LE(crc, 4);
  out.push(header, ...parts);
  return headerBytes + length;
}

export interface FramesEnd {
  /** Where the last sound frame ends (0 when even the mark is not whole). Less than `size` when something unreadable follows. */
  readonly end: number;
  readonly size: number;
}

/** Calls `onFrame` with each payload of a file, up to its end or the first frame that is not sound. Payloads are only lent. */
export function readFrames(path: string, mark: string, onFrame: (payload: Buffer, offset: number) => void): FramesEnd {
  const fd = openSync(path, 'r');
  try {
    const reader = new Reader(fd);
    const { size } = reader;
    if (reader.take(markBytes)?.toString('latin1') !== mark) return { end: 0, size };
    let end = reader.at;
    while (end < size) {
      const payload = nextPayload(reader);
      if (!payload) break;
      onFrame(payload, end);
      end = reader.at;
    }
    return { end, size };
  } finally {
    closeSync(fd);
  }
}

function nextPayload(reader: Reader): Buffer | undefined {
  const header = reader.take(headerBytes);
  if (!header) return undefined;
  const length = header.readUInt32LE(0);
  const crc = header.readUInt32LE(4);
  if (length === 0 || length > largestFrame) return undefined;
  const payload = reader.take(length);
  return payload && crc32(payload) === crc ? payload : undefined;
}

/** Reads a file from its start in chunks. */
class Reader {
  readonly size: number;
  /** Offset of the byte that is taken next. */
  at = 0;
  readonly #fd: number;
  #buffer = Buffer.alloc(0);

  constructor(fd: number) {
    this.#fd = fd;
    this.size = fstatSync(fd).size;
  }

  /** The next `length` bytes, valid until the next call; `undefined` when the file has fewer. */
  take(length: number): Buffer | undefined {
    if (this.at + length > this.size) return undefined;
    if (this.#buffer.length < length) this.#fill(length);
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    this.at += length;
    return taken;
  }

  #fill(length: number): void {
    const chunk = Buffer.allocUnsafe(Math.min(this.size - this.at, Math.max(length, chunkBytes)));
    let filled = this.#buffer.copy(chunk);
    while (filled < length) {
      const read = readSync(this.#fd, chunk, filled, chunk.length - filled, this.at + filled);
      if (read === 0) throw new Error('the file became shorter while it was read');
      filled += read;
    }
    this.#buffer = chunk.subarray(0, filled);
  }
}

/** Whether a sound frame whose payload begins with `start` lies anywhere behind `offset`. */
export function soundFrameAfter(path: string, offset: number, start: string): boolean {
  const fd = openSync(path, 'r');
  try {
    const rest = Buffer.alloc(fstatSync(fd).size - offset);
    let filled = 0;
    for (let read = 1; read > 0 && filled < rest.length; filled += read) {
      read = readSync(fd, rest, filled, rest.length - filled, offset + filled);
    }
    for (let at = rest.indexOf(start, 1); at >= 0; at = rest.indexOf(start, at + 1)) {
      if (at < headerBytes) continue;
      const length = rest.readUInt32LE(at - 8);
      if (at + length <= filled && crc32(rest.subarray(at, at + length)) === rest.readUInt32LE(at - 4)) return true;
    }
    return false;
  } finally {
    closeSync(fd);
  }
}
