import { systemClock } from '@coxswain/runtime/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeRequestFrame, listenTcp, MorpcClient, MorpcServer, WireError } from './index.ts';
import { streamPair } from './test-network.ts';
import { EchoWorld, echo } from './test-service.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const body = hex('0801 1202 6869');
const good = { kind: 'message', body, payload: undefined, timeout: 1_000_000n } as const;

/** What a server makes of these bytes. */
async function feed(...pieces: Uint8Array[]) {
  const world = new EchoWorld();
  const answered: string[] = [];
  let ended = false;
  const [near, far] = streamPair();
  const server = new MorpcServer({
    clock: world.clock,
    protocol: echo,
    handle: ({ text }) => ({ text }),
    onRefused: (error) => world.refused.push(error),
  });
  server.accept(far);
  near.read({
    data: (bytes) => answered.push(Buffer.from(bytes).toString('hex')),
    ended: () => {
      ended = true;
    },
  });
  for (const piece of pieces) near.write(piece);
  await world.clock.settle();
  return { answered, ended, refused: world.refused };
}

describe('a server', () => {
  test('answers requests and pings', async () => {
    const ping = encodeRequestFrame({ kind: 'ping', body: Buffer.alloc(8, 7), payload: undefined, timeout: 5n });
    const { answered, ended } = await feed(Buffer.concat([encodeRequestFrame(good), ping]));
    expect(answered).toEqual([
      expect.stringMatching(/^0000003246.*0707070707070707$/),
      expect.stringMatching(/06.*080112026869$/),
    ]);
    expect(ended).toBe(false);
  });

  test.each([
    ['a frame that would end a real one', hex('00000007 00 080112026869'), 'without headers'],
    [
      'a payload it does not take',
      encodeRequestFrame({ ...good, payload: new Uint8Array(0) }),
      'the echo service takes no payload',
    ],
    ['a message that is none', encodeRequestFrame({ ...good, body: hex('0801 1209') }), 'end within a value'],
    [
      'what would end a real one',
      encodeRequestFrame({ ...good, body: hex('0801 1204 6b696c6c') }),
      'what would end a real one',
    ],
    ['what is no frame', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'at most'],
  ])('closes the connection on %s', async (_, bytes, why) => {
    const { answered, ended, refused } = await feed(bytes, encodeRequestFrame(good));
    expect([answered, ended]).toEqual([[], true]);
    expect(refused).toEqual([expect.objectContaining({ message: expect.stringContaining(why) })]);
  });

  test('lives through anything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 4 }), async (pieces) => {
        const { refused } = await feed(...pieces);
        for (const error of refused) expect(error).toBeInstanceOf(WireError);
      }),
      { numRuns: 200 },
    );
  });

  test('tells handlers when nobody waits any more', async () => {
    const world = new EchoWorld();
    const reasons: string[] = [];
    world.serve('a:1', (_, { signal }) => {
      signal.addEventListener('abort', () => reasons.push(String(signal.reason)));
      return new Promise(() => {});
    });
    world.say('a:1', '', { timeout: 1000 });
    const second = world.say('a:1', '', { timeout: 5000 });
    await world.clock.advance(1000);
    expect(reasons).toEqual(['Error: the client waited 1s']);
    world.client.close();
    await world.clock.settle();
    expect(reasons[1]).toBe('Error: the connection ended');
    expect(second.outcome).toMatchObject({ failure: 'closed' });
  });

  test('closes the connection when its handler fails', async () => {
    const world = new EchoWorld();
    world.serve('a:1', () => Promise.reject(new Error('out of order')));
    const call = world.say('a:1', '');
    await world.clock.settle();
    expect(call.outcome).toMatchObject({ failure: 'lost' });
    expect(world.refused).toEqual([new Error('out of order')]);
  });
});

test('over real sockets', async () => {
  const server = new MorpcServer({ clock: systemClock, protocol: echo, handle: ({ text }) => ({ text }) });
  const listening = await listenTcp('127.0.0.1', 0, (stream) => server.accept(stream));
  const client = new MorpcClient({ clock: systemClock });
  try {
    const texts = Array.from({ length: 50 }, (_, index) => String(index).repeat(1 + index * 300));
    const answers = await Promise.all(texts.map((text) => client.call(echo, listening.address, 'SAY', { text })));
    expect(answers.map(({ text }) => text)).toEqual(texts);
    await listening.close();
    const gone = client.call(echo, listening.address, 'SAY', {});
    await expect(gone).rejects.toMatchObject({ method: 'SAY', address: listening.address });
    await expect(client.call(echo, listening.address, 'SAY', {})).rejects.toMatchObject({ failure: 'unreachable' });
  } finally {
    client.close();
    await listening.close();
  }
});
