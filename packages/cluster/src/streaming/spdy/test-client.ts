/** A SPDY client for tests: it frames, and compresses headers as others do. */
import { constants, createDeflate } from 'node:zlib';
import { type TestClient, testClient } from '../test-client.ts';
import { dictionary } from './dictionary.ts';
import { controlFrame, dataFrame, frameTypes, words } from './frames.ts';

/** What the server sent: pieces of data are joined in `data`, by stream. */
export interface Seen {
  readonly control: readonly { readonly type: number; readonly body: Buffer }[];
  readonly data: ReadonlyMap<number, string>;
  /** Streams the server ended. */
  readonly fins: ReadonlySet<number>;
}

export interface SpdyTestClient extends TestClient {
  open(id: number, headers: Readonly<Record<string, string>>, flags?: number): Promise<void>;
  data(id: number, text: string | Buffer, fin?: boolean): void;
  control(type: number, ...values: readonly number[]): void;
  seen(): Seen;
  /** Resolves when the server has sent what `wanted` asks for. */
  until(wanted: (seen: Seen) => boolean): Promise<Seen>;
}

export function spdyTestClient(): SpdyTestClient {
  const client = testClient();
  const deflate = createDeflate({ dictionary });
  const compress = (block: Buffer) =>
    new Promise<Buffer>((resolve) => {
      deflate.write(block);
      deflate.flush(constants.Z_SYNC_FLUSH, () => resolve(deflate.read() as Buffer));
    });
  const seen = () => seenIn(client.received());
  return {
    ...client,
    open: async (id, headers, flags = 0) => {
      const block = await compress(headerBlock(headers));
      const head = Buffer.concat([words(id, 0), Buffer.from([0, 0])]);
      client.stream.write(controlFrame(frameTypes.synStream, Buffer.concat([head, block]), flags));
    },
    data: (id, text, fin = false) => void client.stream.write(dataFrame(id, Buffer.from(text), fin)),
    control: (type, ...values) => void client.stream.write(controlFrame(type, words(...values))),
    seen,
    until: async (wanted) => {
      for (;;) {
        const now = seen();
        if (wanted(now)) return now;
        await new Promise((resolve) => client.stream.once('data', resolve));
      }
    },
  };
}

/** Names and values behind their lengths, uncompressed. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(headers);
  const texts = pairs.flat().flatMap((text) => [words(Buffer.byteLength(text)), Buffer.from(text)]);
  return Buffer.concat([words(pairs.length), ...texts]);
}

function seenIn(bytes: Buffer): Seen {
  const control: { type: number; body: Buffer }[] = [];
  const data = new Map<number, string>();
  const fins = new Set<number>();
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUIntBE(at + 5, 3);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (body.length < length) break;
    const id = bytes.readUInt32BE(at);
    if ((id & 0x80000000) !== 0) control.push({ type: bytes.readUInt16BE(at + 2), body });
    else {
      data.set(id, (data.get(id) ?? '') + body.toString('latin1'));
      if (((bytes[at + 4] as number) & 1) !== 0) fins.add(id);
    }
    at += 8 + length;
  }
  return { control, data, fins };
}
