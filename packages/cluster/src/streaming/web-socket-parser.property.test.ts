import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientFrame, cut } from './test-client.ts';
import { WebSocketError, type WebSocketEvent, WebSocketParser } from './web-socket-parser.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));

/** A message in frames, with control frames between them. */
const message = fc.record({
  opcode: fc.constantFrom(1, 2),
  parts: fc.array(fc.oneof(bytes(20), bytes(300)), { minLength: 1, maxLength: 4 }),
  ping: fc.option(bytes(125)),
  mask: fc.integer({ min: 0, max: 0xffffffff }),
});

test('messages come through, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), fc.array(fc.nat(), { maxLength: 8 }), (messages, places) => {
      const frames = messages.flatMap(({ opcode, parts, ping, mask }) =>
        parts.flatMap((part, index) => [
          clientFrame(index === 0 ? opcode : 0, part, { fin: index === parts.length - 1, mask }),
          ...(ping ? [clientFrame(9, ping, { mask })] : []),
        ]),
      );
      const parser = new WebSocketParser();
      const events = cut(Buffer.concat(frames), places).flatMap((chunk) => parser.push(chunk));
      expect(messagesOf(events)).toEqual(messages.map(({ parts }) => Buffer.concat(parts).toString('hex')));
      const pings = messages.flatMap(({ parts, ping }) => (ping ? parts.map(() => ping.toString('hex')) : []));
      expect(events.filter(({ kind }) => kind === 'ping').map(({ payload }) => payload.toString('hex'))).toEqual(pings);
    }),
  );
});

test('whatever comes is understood or refused', () => {
  fc.assert(
    fc.property(fc.array(bytes(200), { maxLength: 10 }), (chunks) => {
      const parser = new WebSocketParser();
      const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      try {
        const events = chunks.flatMap((chunk) => parser.push(chunk));
        expect(events.reduce((sum, { payload }) => sum + payload.length, 0)).toBeLessThanOrEqual(size);
      } catch (error) {
        expect(error).toBeInstanceOf(WebSocketError);
      }
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['reserved bits', Buffer.from([0xc2, 0x80, 0, 0, 0, 0])],
  ['no mask', Buffer.from([0x82, 0x01, 0x00])],
  ['an unknown frame', clientFrame(3, '')],
  ['an unknown control frame', clientFrame(11, '')],
  ['a control frame in parts', clientFrame(9, '', { fin: false })],
  ['a long control frame', clientFrame(9, 'x'.repeat(126))],
  ['a continuation of nothing', clientFrame(0, 'x')],
  ['a message inside another', Buffer.concat([clientFrame(2, 'x', { fin: false }), clientFrame(2, 'y')])],
  ['half a close code', clientFrame(8, 'x')],
  ['a close code that is never sent', clientFrame(8, Buffer.from([0x03, 0xee]))],
  ['a length beyond all', Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])],
])('%s is refused', (_what, frame) => {
  expect(() => new WebSocketParser().push(frame)).toThrow(WebSocketError);
});

function messagesOf(events: readonly WebSocketEvent[]): string[] {
  const messages: Buffer[][] = [];
  for (const event of events) {
    if (event.kind !== 'data') continue;
    if (event.first) messages.push([]);
    messages.at(-1)?.push(event.payload);
  }
  return messages.map((parts) => Buffer.concat(parts).toString('hex'));
}
