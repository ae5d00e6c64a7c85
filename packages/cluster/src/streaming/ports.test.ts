import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import type { PortForwardSession } from '../apiserver/streams.ts';
import { portsOverSpdy } from './ports-over-spdy.ts';
import { portsOverWebSocket } from './ports-over-web-socket.ts';
import { type SpdyTestClient, spdyTestClient } from './spdy/test-client.ts';
import { clientFrame, serverFrames, testClient } from './test-client.ts';
import { tunnel } from './tunnel.ts';

/** Port 7 sends back what it gets, in capitals; nobody listens on port 9. */
const pod: PortForwardSession = {
  kind: 'portforward',
  ports: [7, 9],
  connect: async (port, connection) => {
    if (port === 9) throw new Error('nobody listens on port 9');
    for await (const chunk of connection.iterator({ destroyOnReturn: false })) {
      connection.write(String(chunk).toUpperCase());
    }
  },
};

const request = (type: 'error' | 'data', port: string, requestid: string) => ({ streamtype: type, port, requestid });

async function twoForwards(client: SpdyTestClient): Promise<void> {
  await client.open(1, request('error', '7', 'a'));
  await client.open(3, request('error', '9', 'b'));
  await client.open(5, request('data', '9', 'b'));
  await client.open(7, request('data', '7', 'a'));
  client.data(7, 'hello', true);
}

test('SPDY: each pair of streams is a connection of its own', async () => {
  const client = spdyTestClient();
  const done = portsOverSpdy(client.server, pod, new VirtualClock());
  await twoForwards(client);
  await client.open(9, request('data', 'x', 'c'));
  await client.open(11, { streamtype: 'data' });
  const seen = await client.until(({ fins, control }) => fins.has(7) && fins.has(3) && control.length >= 8);
  expect(seen.data.get(7)).toBe('HELLO');
  expect(seen.data.get(3)).toBe('nobody listens on port 9');
  const resets = seen.control.filter(({ type }) => type === 3).map(({ body }) => body.readUInt32BE(0));
  expect(resets.sort()).toEqual([11, 3, 5, 9]);
  client.stream.end();
  await done;
});

test('SPDY: clients without request ids, and those that never open the second stream', async () => {
  const client = spdyTestClient();
  const clock = new VirtualClock();
  const done = portsOverSpdy(client.server, pod, clock);
  await client.open(1, { streamtype: 'error', port: '7' });
  await client.open(3, { streamtype: 'data', port: '7' });
  client.data(3, 'x', true);
  await client.open(5, request('error', '7', 'late'));
  await client.until(({ fins, control }) => fins.has(3) && control.length >= 3);
  await clock.advance(30_000);
  const { data } = await client.until(({ fins }) => fins.has(5));
  expect(data.get(5)).toBe('timed out waiting for streams');
  client.stream.end();
  await done;
});

test('SPDY in a WebSocket', async () => {
  const inner = spdyTestClient();
  const outer = testClient();
  const clock = new VirtualClock();
  const done = portsOverSpdy(tunnel(outer.server, clock), pod, clock);
  // What the SPDY client writes is wrapped, and what comes is unwrapped for it.
  inner.server.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; at += 100) outer.stream.write(clientFrame(2, chunk.subarray(at, at + 100)));
  });
  outer.stream.on('data', (chunk: Buffer) => {
    for (const { opcode, payload } of serverFrames(chunk)) if (opcode === 2) inner.server.write(payload);
  });
  await twoForwards(inner);
  const { data } = await inner.until(({ fins }) => fins.has(7) && fins.has(3));
  expect([data.get(7), data.get(3)]).toEqual(['HELLO', 'nobody listens on port 9']);
  outer.stream.write(clientFrame(8, Buffer.from([0x03, 0xe8])));
  await done;
  expect(serverFrames(await outer.ended).at(-1)).toEqual({ opcode: 8, payload: Buffer.from([0x03, 0xe8]) });
});

test('WebSocket: two channels for each port of the query', async () => {
  const client = testClient();
  const done = portsOverWebSocket(client.server, pod, 'v4.channel.k8s.io', new VirtualClock());
  await client.atLeast(4 * 5);
  client.stream.write(clientFrame(2, '\0hello'));
  await client.atLeast(4 * 5 + 2 + 1 + 24 + 2 + 6);
  client.stream.write(clientFrame(8, ''));
  const texts = serverFrames(await client.ended).map(({ opcode, payload }) => [opcode, payload.toString('latin1')]);
  await done;
  const opening = [0, 1, 2, 3].map((channel) => [2, String.fromCharCode(channel, channel < 2 ? 7 : 9, 0)]);
  expect(texts).toEqual(expect.arrayContaining([...opening, [2, '\0HELLO'], [2, '\x03nobody listens on port 9']]));
  expect(texts.at(-1)).toEqual([8, '\x03\xe8']);
});
