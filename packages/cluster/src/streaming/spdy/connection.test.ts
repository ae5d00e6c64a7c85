import { inflateSync } from 'node:zlib';
import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { SpdyConnection, type SpdyStream } from './connection.ts';
import { dictionary } from './dictionary.ts';
import { controlFrame, frameTypes, words } from './frames.ts';
import { emptyBlock } from './headers.ts';
import { spdyTestClient } from './test-client.ts';

/** A connection whose streams the test gets. */
function start(accept: (stream: SpdyStream) => boolean = () => true) {
  const client = spdyTestClient();
  const streams: SpdyStream[] = [];
  const connection = new SpdyConnection(client.server, new VirtualClock(), (stream) => {
    streams.push(stream);
    return accept(stream);
  });
  const running = connection.run();
  const end = async () => {
    client.stream.end();
    connection.close();
    await running;
  };
  return { client, connection, streams, running, end };
}

const types = (seen: { control: readonly { type: number }[] }) => seen.control.map(({ type }) => type);
const replied = (count: number) => (seen: Parameters<typeof types>[0]) =>
  types(seen).filter((type) => type === frameTypes.synReply).length >= count;

test('empty headers are what any zlib reads', () => {
  const blocks = Buffer.concat([emptyBlock(true), emptyBlock(false)]);
  expect(inflateSync(blocks, { dictionary, finishFlush: 2 })).toEqual(Buffer.alloc(8));
});

test('streams carry bytes both ways and end by halves', async () => {
  const { client, streams, end } = start();
  await client.open(1, { streamtype: 'data', Port: '80' });
  await client.open(3, { streamtype: 'error' });
  await client.until(replied(2));
  expect(streams.map(({ headers }) => Object.fromEntries(headers))).toEqual([
    { streamtype: 'data', port: '80' },
    { streamtype: 'error' },
  ]);
  client.data(1, 'hello ');
  client.data(1, 'there', true);
  let text = '';
  for await (const chunk of streams[0]?.channel.iterator({ destroyOnReturn: false }) ?? []) text += chunk;
  expect(text).toBe('hello there');
  streams[0]?.channel.end('answer');
  const seen = await client.until(({ fins }) => fins.has(1));
  expect(seen.data.get(1)).toBe('answer');
  expect(types(seen)).not.toContain(frameTypes.rstStream);
  await end();
});

test('pings are answered; what is unknown is passed over', async () => {
  const { client, end } = start();
  client.control(frameTypes.ping, 7);
  client.control(frameTypes.ping, 8);
  client.control(99, 1, 2, 3);
  client.control(frameTypes.windowUpdate, 5, 10);
  client.control(frameTypes.rstStream, 5, 1);
  client.data(5, 'to nobody');
  client.control(frameTypes.ping, 9);
  const { control } = await client.until((seen) => seen.control.length >= 2);
  expect(control.map(({ type, body }) => [type, body.readUInt32BE(0)])).toEqual([
    [frameTypes.ping, 7],
    [frameTypes.ping, 9],
  ]);
  await end();
});

test('streams that may not be are refused, the others stay', async () => {
  const { client, end } = start(({ headers }) => headers.get('streamtype') !== 'no');
  await client.open(2, {});
  await client.open(5, { streamtype: 'no' });
  await client.open(3, {});
  await client.open(7, {});
  const { control } = await client.until(replied(1));
  expect(control.map(({ type, body }) => [type, body.readUInt32BE(0)])).toEqual([
    [frameTypes.rstStream, 2],
    [frameTypes.rstStream, 5],
    [frameTypes.rstStream, 3],
    [frameTypes.synReply, 7],
  ]);
  await end();
});

test('a reset ends both directions', async () => {
  const { client, streams, end } = start();
  await client.open(1, {});
  await client.open(3, {});
  await client.until(replied(2));
  client.control(frameTypes.rstStream, 1, 5);
  await new Promise((resolve) => streams[0]?.channel.once('close', resolve));
  streams[1]?.channel.destroy();
  const { control } = await client.until((seen) => types(seen).includes(frameTypes.rstStream));
  expect(control.at(-1)?.body).toEqual(words(3, 5));
  await end();
});

test('clients that keep windows are not sent more than fits', async () => {
  const { client, streams, end } = start();
  client.control(frameTypes.settings, 1, 7, 1000);
  await client.open(1, {});
  await client.until(replied(1));
  streams[0]?.channel.end('x'.repeat(5000));
  const sent = () => client.seen().data.get(1)?.length ?? 0;
  await client.until(() => sent() > 0);
  expect(sent()).toBe(1000);
  client.control(frameTypes.windowUpdate, 1, 3000);
  await client.until(() => sent() > 1000);
  expect(sent()).toBe(4000);
  client.control(frameTypes.windowUpdate, 1, 3000);
  const { fins } = await client.until(() => sent() > 4000);
  expect([sent(), fins.has(1)]).toEqual([5000, client.seen().fins.has(1)]);
  await client.until((seen) => seen.fins.has(1));
  await end();
});

test('clients that keep none get all of it', async () => {
  const { client, streams, end } = start();
  await client.open(1, {});
  await client.until(replied(1));
  streams[0]?.channel.end('x'.repeat(300_000));
  const { data } = await client.until(({ fins }) => fins.has(1));
  expect(data.get(1)).toHaveLength(300_000);
  await end();
});

test('what is read opens the windows again; what is not read holds the client back', async () => {
  const { client, streams, end } = start();
  await client.open(1, {});
  await client.until(replied(1));
  const piece = Buffer.alloc(16 * 1024);
  let sent = 0;
  const send = async () => {
    client.data(1, piece);
    sent++;
    await new Promise((resolve) => setImmediate(resolve));
  };
  while (client.stream.writableLength === 0) await send();
  expect(sent * piece.length).toBeLessThan(600 * 1024);
  const channel = streams[0]?.channel;
  channel?.resume();
  const seen = await client.until(
    ({ control }) => control.filter(({ type }) => type === frameTypes.windowUpdate).length >= 6,
  );
  const updates = seen.control.filter(({ type }) => type === frameTypes.windowUpdate).map(({ body }) => body);
  const credit = (id: number) =>
    updates.filter((body) => body.readUInt32BE(0) === id).reduce((sum, body) => sum + body.readUInt32BE(4), 0);
  expect(credit(0)).toBe(credit(1));
  expect(credit(0)).toBeLessThanOrEqual(sent * piece.length);
  await end();
});

test('a goodbye of the client ends its streams', async () => {
  const { client, streams, running } = start();
  const closed = new Promise((resolve) => client.server.once('close', resolve));
  await client.open(1, {});
  await client.until(replied(1));
  const ended = new Promise((resolve) => streams[0]?.channel.once('end', resolve).resume());
  client.control(frameTypes.goAway, 0, 0);
  await ended;
  await running;
  expect(types(client.seen())).toContain(frameTypes.goAway);
  // Its end is seen although nobody reads any more: the connection closes with it, not when patience ends.
  client.stream.end();
  await closed;
});

test.each([
  ['another version', Buffer.from([0x80, 2, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1])],
  ['a control frame without end', Buffer.from([0x80, 3, 0, 6, 0, 0xff, 0xff, 0xff])],
  ['headers that are no zlib', controlFrame(frameTypes.synStream, Buffer.alloc(40, 0xff))],
  ['a frame that is cut off', controlFrame(frameTypes.rstStream, Buffer.alloc(2))],
])('%s ends the connection', async (_what, bytes) => {
  const { client, running } = start();
  client.stream.write(bytes);
  await running;
  client.stream.end();
});

test('headers that swell are not kept', async () => {
  const { client, running, streams } = start();
  await client.open(1, { bomb: 'x'.repeat(10 * 1024 * 1024) });
  await running;
  expect(streams).toEqual([]);
  client.stream.end();
});
