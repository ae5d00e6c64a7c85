/** The other end of an upgraded connection, for tests of this room. */
import { type Duplex, duplexPair } from 'node:stream';

export interface TestClient {
  /** The server's end. */
  readonly server: Duplex;
  readonly stream: Duplex;
  /** All that the server sent so far. */
  received(): Buffer;
  /** Resolves when so many bytes have arrived. */
  atLeast(bytes: number): Promise<Buffer>;
  /** Resolves with all the server sent when it has ended. */
  readonly ended: Promise<Buffer>;
}

/** @param reads whether the client takes what is sent; default yes */
export function testClient(reads = true): TestClient {
  const [server, stream] = duplexPair();
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks);
  const ended = new Promise<Buffer>((resolve) => {
    const done = () => {
      stream.end();
      resolve(received());
    };
    stream.on('end', done).on('close', done);
  });
  stream.on('error', () => {});
  if (reads) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const atLeast = async (bytes: number) => {
    while (received().length < bytes) await new Promise((resolve) => stream.once('data', resolve));
    return received();
  };
  return { server, stream, received, atLeast, ended };
}

/** One frame of a WebSocket client. */
export function clientFrame(opcode: number, payload: Buffer | string, { fin = true, mask = 0x01020304 } = {}): Buffer {
  const data = Buffer.from(payload);
  const size = data.length < 126 ? 0 : data.length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + size + 4);
  head[0] = (fin ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (size === 0 ? data.length : size === 2 ? 126 : 127);
  if (size === 2) head.writeUInt16BE(data.length, 2);
  if (size === 8) head.writeBigUInt64BE(BigInt(data.length), 2);
  head.writeUInt32BE(mask, 2 + size);
  for (let i = 0; i < data.length; i++) data[i] = (data[i] as number) ^ (head[2 + size + (i & 3)] as number);
  return Buffer.concat([head, data]);
}

export interface ServerFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** The frames of a WebSocket server, whole ones. */
export function serverFrames(bytes: Buffer): ServerFrame[] {
  const frames: ServerFrame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const short = bytes[at + 1] as number;
    const size = short === 126 ? 2 : short === 127 ? 8 : 0;
    const length = size === 0 ? short : size === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    const start = at + 2 + size;
    frames.push({ opcode: (bytes[at] as number) & 0x0f, payload: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return frames;
}

/** Cuts bytes at the given places, taken modulo the length. */
export function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => Buffer.from(bytes.subarray(sorted[index], end)));
}
