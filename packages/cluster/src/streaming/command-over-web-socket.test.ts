import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import type { CommandSession, CommandStreams } from '../apiserver/streams.ts';
import { type CommandProtocol, commandOverWebSocket } from './command-over-web-socket.ts';
import { clientFrame, serverFrames, testClient } from './test-client.ts';

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };
/** As kubelets tell it. */
const told = '{"metadata":{},"status":"Success"}';

function command(
  run: (streams: CommandStreams) => Promise<object>,
  { tty = false, stdin = true, stderr = true } = {},
): CommandSession {
  return { kind: 'command', stdin, stdout: true, stderr, tty, run: run as CommandSession['run'] };
}

/** Starts a command whose client the test plays. */
function start(session: CommandSession, protocol: CommandProtocol = 'v5.channel.k8s.io', reads = true) {
  const client = testClient(reads);
  const done = commandOverWebSocket(client.server, session, protocol, new VirtualClock());
  return { client, done };
}

/** What was sent on each channel, and the code of the end. */
async function outcome({ client, done }: ReturnType<typeof start>) {
  const channels: Record<number, string> = {};
  let code: number | undefined;
  for (const { opcode, payload } of serverFrames(await client.ended)) {
    if (opcode === 8) code = payload.readUInt16BE(0);
    else channels[payload[0] as number] = `${channels[payload[0] as number] ?? ''}${payload.subarray(1)}`;
  }
  await done;
  return { channels, code };
}

const cat = async ({ stdin, stdout }: CommandStreams) => {
  for await (const chunk of stdin ?? []) stdout?.write(chunk);
  return success;
};

test('the client ends its input by a signal of version 5', async () => {
  const run = start(command(cat));
  run.client.stream.write(clientFrame(2, '\0one '));
  run.client.stream.write(clientFrame(2, '\0tw', { fin: false }));
  run.client.stream.write(clientFrame(0, 'o'));
  run.client.stream.write(clientFrame(2, Buffer.from([255, 0])));
  expect(await outcome(run)).toEqual({ channels: { 1: 'one two', 3: told }, code: 1000 });
});

test('failures are told on the error channel', async () => {
  const failure = { status: 'Failure', message: 'exit 3', details: { causes: [{ reason: 'ExitCode', message: '3' }] } };
  const fails = command(async () => failure);
  expect((await outcome(start(fails))).channels[3]).toBe(JSON.stringify(failure));
  expect((await outcome(start(fails, 'channel.k8s.io'))).channels[3]).toBe('exit 3');
  const breaks = command(async () => {
    throw new Error('no such program');
  });
  expect(JSON.parse((await outcome(start(breaks))).channels[3] ?? '')).toMatchObject({
    status: 'Failure',
    reason: 'InternalError',
    code: 500,
    message: 'Internal error occurred: no such program',
  });
  expect(
    (
      await outcome(
        start(
          command(async () => success),
          '',
        ),
      )
    ).channels,
  ).toEqual({ 1: '' });
});

test('text for those who cannot have bytes', async () => {
  const { client, done } = start(command(cat), 'v4.base64.channel.k8s.io');
  for (const part of ['0aGVs', 'bG8='])
    client.stream.write(clientFrame(part.startsWith('0') ? 1 : 0, part, { fin: part.endsWith('=') }));
  await client.atLeast(2 + 9);
  client.stream.end();
  const texts = serverFrames(await client.ended).filter(({ opcode }) => opcode === 1);
  const data = texts.filter(({ payload }) => payload[0] === 49).map(({ payload }) => payload.toString().slice(1));
  expect(data.map((text) => Buffer.from(text, 'base64').toString()).join('')).toBe('hello');
  await done;
});

test('sizes of the terminal come apart from the input', async () => {
  const sizes: object[] = [];
  const run = start(
    command(
      async ({ resize, stderr }) => {
        for await (const size of resize ?? []) sizes.push(size);
        return { ...success, message: String(stderr) };
      },
      { tty: true },
    ),
  );
  run.client.stream.write(clientFrame(2, '\x04{"Width":80,"Hei'));
  run.client.stream.write(clientFrame(2, '\x04ght":24}\n'));
  await new Promise((resolve) => setImmediate(resolve));
  run.client.stream.write(clientFrame(2, '\x04{"width":1,"height":2}{"Width":100,"Height":50}'));
  await new Promise((resolve) => setImmediate(resolve));
  run.client.stream.write(clientFrame(2, Buffer.from([255, 4])));
  expect((await outcome(run)).channels[3]).toContain('"message":"undefined"');
  expect(sizes).toEqual([
    { width: 80, height: 24 },
    { width: 100, height: 50 },
  ]);
});

test('pings are answered, and a goodbye is returned', async () => {
  const run = start(
    command(async ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(success)))),
  );
  run.client.stream.write(clientFrame(9, 'are you there'));
  run.client.stream.write(clientFrame(8, Buffer.from([0x03, 0xe8])));
  const frames = serverFrames(await run.client.ended);
  expect(frames.map(({ opcode, payload }) => [opcode, payload.toString('latin1')])).toEqual([
    [2, '\x01'],
    [10, 'are you there'],
    [8, '\x03\xe8'],
  ]);
  await run.done;
});

test('a client that breaks the protocol is told so, and the command ends', async () => {
  const run = start(command(cat));
  run.client.stream.write(Buffer.from([0xff, 0xff]));
  expect((await outcome(run)).code).toBe(1002);
});

test('a client that leaves ends the command', async () => {
  let ended = false;
  const { client, done } = start(
    command(async ({ signal, stdin, stdout }) => {
      for await (const chunk of stdin ?? []) stdout?.write(chunk);
      ended = signal.aborted;
      // Nobody listens: neither is this kept nor does it fail.
      stdout?.write(Buffer.alloc(1024 * 1024));
      return success;
    }),
  );
  client.stream.destroy();
  await done;
  expect(ended).toBe(true);
});

test('who does not read is not written to without end', async () => {
  let written = 0;
  const { client, done } = start(
    command(async ({ stdout, signal }) => {
      const chunk = Buffer.alloc(64 * 1024);
      while (!signal.aborted && written < 1000) {
        written++;
        if (!stdout?.write(chunk)) {
          await Promise.race([
            new Promise((resolve) => stdout?.once('drain', resolve)),
            new Promise((resolve) => signal.addEventListener('abort', resolve)),
          ]);
        }
      }
      return success;
    }),
    'v4.channel.k8s.io',
    false,
  );
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBeLessThan(20);
  client.server.destroy();
  await done;
});

test('input that is not read holds the client back', async () => {
  const { client, done } = start(
    command(async ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(success)))),
  );
  const message = clientFrame(2, Buffer.alloc(32 * 1024));
  let sent = 0;
  while (sent < 100 && client.stream.write(message)) {
    sent++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(sent).toBeLessThan(20);
  client.server.destroy();
  await done;
});
