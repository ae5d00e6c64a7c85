import { VirtualClock } from '@coxswain/runtime/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cut, testClient } from '../test-client.ts';
import { SpdyConnection } from './connection.ts';
import { controlFrame, dataFrame, SpdyError, type SpdyFrame, SpdyParser } from './frames.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));

const frame = fc.oneof(
  fc.record({ kind: fc.constant('control' as const), type: fc.nat(12), flags: fc.nat(255), body: bytes(60) }),
  fc.record({ kind: fc.constant('data' as const), stream: fc.nat(9), fin: fc.boolean(), payload: bytes(60) }),
);

const encode = (one: SpdyFrame) =>
  one.kind === 'control' ? controlFrame(one.type, one.body, one.flags) : dataFrame(one.stream, one.payload, one.fin);

test('frames come through, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 8 }), (frames, places) => {
      const parser = new SpdyParser();
      const parsed = cut(Buffer.concat(frames.map(encode)), places).flatMap((chunk) => parser.push(chunk));
      expect(plain(parsed)).toEqual(plain(frames));
    }),
  );
});

test('whatever comes is understood or refused', () => {
  fc.assert(
    fc.property(fc.array(bytes(100), { maxLength: 10 }), (chunks) => {
      const parser = new SpdyParser();
      try {
        for (const chunk of chunks) parser.push(chunk);
      } catch (error) {
        expect(error).toBeInstanceOf(SpdyError);
      }
    }),
    { numRuns: 1000 },
  );
});

test('a connection outlives nothing and fails on nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(frame.map(encode), bytes(40)), { maxLength: 20 }), async (chunks) => {
      const { server, stream, ended } = testClient();
      const connection = new SpdyConnection(server, new VirtualClock(), ({ id, channel }) => {
        channel.resume();
        if (id % 4 === 1) channel.end('answer');
        return id % 8 !== 3;
      });
      const running = connection.run();
      for (const chunk of chunks) stream.write(chunk);
      stream.end();
      await running;
      await ended;
    }),
  );
});

/** Frames as lines; pieces of a stream right after each other are one. */
function plain(frames: readonly SpdyFrame[]): string[] {
  const lines: string[] = [];
  for (const one of frames) {
    if (one.kind === 'control') lines.push(`control ${one.type} ${one.flags} ${one.body.toString('hex')}`);
    else {
      const head = `data ${one.stream} `;
      const before = lines.at(-1)?.startsWith(head) && !lines.at(-1)?.endsWith('.') ? lines.pop() : head;
      lines.push(`${before}${one.payload.toString('hex')}${one.fin ? '.' : ''}`);
    }
  }
  return lines;
}
