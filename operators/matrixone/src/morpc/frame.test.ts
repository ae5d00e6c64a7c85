import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeFrame,
  decodeRequestFrame,
  encodeAnswerFrame,
  encodeRequestFrame,
  type Frame,
  FrameBuffer,
  flags,
  maxFrameSize,
  WireError,
} from './index.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const trace = '00'.repeat(24);
const empty = new Uint8Array(0);

/** The frame in `bytes`, which has its size in front. */
function only(bytes: Uint8Array): Buffer {
  const frames = [...new FrameBuffer().push(bytes)];
  expect(frames).toHaveLength(1);
  return frames[0] as Buffer;
}

describe('frames that real servers took and sent', () => {
  test('CHECK_HAKEEPER without a checksum', () => {
    const frame = { kind: 'message', body: hex('0801100a'), payload: empty, timeout: 10_000_000_000n } as const;
    const bytes = hex(`0000002a 05 00000000 00000002540be400 18 ${trace} 0801100a`);
    expect(encodeRequestFrame(frame, { checksum: false }).toString('hex')).toBe(bytes.toString('hex'));
    expect(decodeRequestFrame(only(bytes))).toEqual({ ...frame, body: hex('0801100a'), payload: Buffer.alloc(0) });
  });

  test('its answer', () => {
    const timeout = '00000002540be400';
    const bytes = hex(`00000036 07 ae5891de37126812 00000000 ${timeout} 18 ${trace} 0801100a28013200`);
    const frame = decodeFrame(only(bytes));
    expect(Buffer.from(frame.body).toString('hex')).toBe('0801100a28013200');
    expect(frame).toMatchObject({ kind: 'message', timeout: 10_000_000_000n });
    expect(frame.payload).toHaveLength(0);
  });

  test('the same request with a checksum', () => {
    const frame = { kind: 'message', body: hex('0807100a'), payload: empty, timeout: 5_000_000_000n } as const;
    const bytes = `00000032 07 8f96728e35c36042 00000000 000000012a05f200 18 ${trace} 0807100a`.replaceAll(' ', '');
    expect(encodeRequestFrame(frame).toString('hex')).toBe(bytes);
  });

  test('pong', () => {
    const pong = encodeAnswerFrame({ kind: 'pong', body: hex('0000000000000009'), payload: undefined, timeout: 1n });
    expect(pong.readUInt32BE(0)).toBe(50);
    expect(pong[4]).toBe(0x46);
    expect(pong.subarray(-8).readBigUInt64BE()).toBe(9n);
    expect(decodeFrame(only(pong))).toMatchObject({ kind: 'pong' });
  });

  test('pong to a server, which would end it', () => {
    const pong = { kind: 'pong', body: Buffer.alloc(8), payload: undefined, timeout: 1n } as const;
    expect(() => encodeRequestFrame(pong)).toThrow('would panic');
    expect(() => decodeRequestFrame(only(encodeAnswerFrame(pong)))).toThrow('would panic');
    expect(() => encodeRequestFrame({ ...pong, kind: 'ping', payload: empty })).toThrow('a ping with a payload');
  });

  test('GetPipelineInfo', () => {
    const body = hex('08011013b20100');
    const bytes = `00000029 04 00000002540be400 18 ${trace} 08011013b20100`;
    const frame = { kind: 'message', body, payload: undefined, timeout: 10_000_000_000n } as const;
    expect(encodeRequestFrame(frame, { checksum: false }).toString('hex')).toBe(bytes.replaceAll(' ', ''));
  });
});

describe('what is refused', () => {
  const good = encodeRequestFrame({ kind: 'message', body: hex('0801'), payload: empty, timeout: 1000n }).subarray(4);
  const flagged = (flag: number) => {
    const bytes = Buffer.from(good);
    bytes[0] = flag;
    return bytes;
  };

  test.each([
    ['a bit that means nothing', 0x87],
    ['compressed', 0x0f],
    ['stream', 0x17],
    ['both ping and pong', 0x67],
  ])('%s', (why, flag) => {
    expect(() => decodeFrame(flagged(flag))).toThrow(why);
  });

  test('a checksum that does not fit', () => {
    const bytes = Buffer.from(good);
    bytes[bytes.length - 1] = 2;
    expect(() => decodeFrame(bytes)).toThrow('checksum');
  });

  test('a payload longer than the frame', () => {
    const bytes = Buffer.from(good);
    bytes.writeUInt32BE(0xffff_ffff, 9);
    expect(() => decodeFrame(bytes)).toThrow('a payload of 4294967295 bytes in 2');
  });

  test('requests without headers, which end a real server; answers may lack them', () => {
    const bare = hex('00 0801');
    expect(() => decodeRequestFrame(bare)).toThrow('without headers');
    expect(decodeFrame(bare)).toMatchObject({ timeout: undefined });
  });

  test('requests without time, without a message, with a short trace', () => {
    expect(() => decodeRequestFrame(hex(`04 0000000000000000 18 ${trace} 0801`))).toThrow('timeout of 0 ns');
    expect(() => decodeRequestFrame(hex(`04 ffffffffffffffff 18 ${trace} 0801`))).toThrow('timeout of -1 ns');
    expect(() => decodeRequestFrame(hex(`04 0000000000000001 18 ${trace}`))).toThrow('without a message');
    expect(() => decodeRequestFrame(hex('04 0000000000000001 01 00 0801'))).toThrow('trace of 1 bytes');
  });

  test('to write them', () => {
    const frame: Frame = { kind: 'message', body: hex('0801'), payload: undefined, timeout: 1n };
    for (const timeout of [0n, -1n, 2n ** 63n])
      expect(() => encodeRequestFrame({ ...frame, timeout })).toThrow(WireError);
    expect(() => encodeRequestFrame({ ...frame, timeout: 1n, body: empty })).toThrow('without a message');
    expect(() => encodeRequestFrame({ ...frame, timeout: 1n, kind: 'ping' })).toThrow('a ping with 2 bytes');
    expect(() => encodeRequestFrame({ ...frame, timeout: 1n, payload: new Uint8Array(maxFrameSize) })).toThrow(
      'larger',
    );
  });
});

const bytesOf = (maxLength: number, minLength = 0) => fc.uint8Array({ minLength, maxLength });
const message = fc.record({
  kind: fc.constant('message' as const),
  body: bytesOf(100, 1),
  payload: fc.option(bytesOf(100), { nil: undefined }),
  timeout: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
});
const signal = fc.record({
  kind: fc.constant('ping' as const),
  body: bytesOf(8, 8),
  payload: fc.constant(undefined),
  timeout: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
});
const frames = fc.oneof({ weight: 4, arbitrary: message }, signal);
const plain = (frame: Frame) => ({ ...frame, body: [...frame.body], payload: frame.payload && [...frame.payload] });

/** Reads what a stranger sent, in these pieces; the only error may be ours. */
function readStrange(bytes: Uint8Array, pieces: readonly number[], limit: number): Frame[] {
  const buffer = new FrameBuffer(limit);
  const found: Frame[] = [];
  try {
    let at = 0;
    for (const piece of [...pieces, bytes.length]) {
      for (const frame of buffer.push(bytes.subarray(at, at + piece))) {
        expect(frame.length).toBeLessThanOrEqual(limit);
        found.push(decodeFrame(frame));
      }
      at += piece;
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  return found;
}

describe('any frames', () => {
  test('are read as they were written, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(frames, { maxLength: 5 }), fc.array(fc.nat(60)), fc.boolean(), (sent, pieces, checksum) => {
        const bytes = Buffer.concat(sent.map((frame) => encodeRequestFrame(frame, { checksum })));
        expect(readStrange(bytes, pieces, maxFrameSize).map(plain)).toEqual(sent.map(plain));
      }),
    );
  });

  test('with flipped bytes are refused or read, and nothing else', () => {
    const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(frames, { minLength: 1, maxLength: 3 }),
        flips,
        fc.array(fc.nat(60)),
        (sent, changes, cuts) => {
          const bytes = Buffer.concat(sent.map((frame) => encodeRequestFrame(frame)));
          for (const [at, by] of changes) bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ by;
          readStrange(bytes, cuts, 4096);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('a flipped byte of body or payload never goes unnoticed', () => {
    fc.assert(
      fc.property(message, fc.nat(), fc.integer({ min: 1, max: 255 }), (sent, at, by) => {
        const bytes = encodeRequestFrame(sent);
        const content = sent.body.length + (sent.payload?.length ?? 0);
        const index = bytes.length - 1 - (at % content);
        bytes[index] = (bytes[index] ?? 0) ^ by;
        expect(() => decodeFrame(bytes.subarray(4))).toThrow('checksum');
      }),
    );
  });

  test('cut short are refused', () => {
    fc.assert(
      fc.property(frames, fc.nat(), (sent, at) => {
        const bytes = encodeRequestFrame(sent).subarray(4);
        expect(() => decodeFrame(bytes.subarray(0, at % bytes.length))).toThrow(WireError);
      }),
    );
  });

  test('made of any bytes are refused or read', () => {
    const strange = fc.tuple(fc.integer({ min: 0, max: 255 }), bytesOf(80)).map(([flag, rest]) => [flag, ...rest]);
    fc.assert(
      fc.property(strange, (bytes) => {
        const framed = Buffer.alloc(4 + bytes.length);
        framed.writeUInt32BE(bytes.length, 0);
        framed.set(bytes, 4);
        for (const read of [decodeFrame, decodeRequestFrame]) {
          try {
            read(framed.subarray(4));
          } catch (error) {
            expect(error).toBeInstanceOf(WireError);
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('that are written are never what a server refuses', () => {
    fc.assert(
      fc.property(frames, (sent) => {
        const read = decodeRequestFrame(only(encodeRequestFrame(sent)));
        expect(encodeRequestFrame(sent)[4] ?? 0).toSatisfy((flag: number) => (flag & flags.headers) !== 0);
        expect(plain(read)).toEqual(plain(sent));
      }),
    );
  });
});

describe('a stream', () => {
  test.each([0, 4097, 0xffff_ffff])('that announces %i bytes is given up at once', (size) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(size, 0);
    const buffer = new FrameBuffer(4096);
    expect([...buffer.push(head.subarray(0, 3))]).toEqual([]);
    expect(() => [...buffer.push(head.subarray(3))]).toThrow(WireError);
  });

  test('that announces much takes no memory before it is sent', () => {
    const before = process.memoryUsage().arrayBuffers;
    const head = Buffer.alloc(4);
    head.writeUInt32BE(maxFrameSize, 0);
    const buffers = Array.from({ length: 50 }, () => {
      const buffer = new FrameBuffer();
      expect([...buffer.push(head), ...buffer.push(Buffer.alloc(1000))]).toEqual([]);
      return buffer;
    });
    expect(buffers).toHaveLength(50);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(maxFrameSize / 10);
  });
});
