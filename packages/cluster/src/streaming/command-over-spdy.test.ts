import { VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import type { CommandSession, CommandStreams } from '../apiserver/streams.ts';
import { commandOverSpdy, type SpdyCommandProtocol } from './command-over-spdy.ts';
import { spdyTestClient } from './spdy/test-client.ts';

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };
/** As kubelets tell it. */
const told = '{"metadata":{},"status":"Success"}';
const failure = { status: 'Failure', message: 'exit 3', details: { causes: [{ reason: 'ExitCode', message: '3' }] } };

function start(
  run: (streams: CommandStreams) => Promise<object>,
  protocol: SpdyCommandProtocol = 'v4.channel.k8s.io',
  tty = false,
) {
  const client = spdyTestClient();
  const clock = new VirtualClock();
  const streams = { stdin: true, stdout: true, stderr: !tty, tty };
  const session: CommandSession = { kind: 'command', ...streams, run: run as CommandSession['run'] };
  return { client, clock, done: commandOverSpdy(client.server, session, protocol, clock) };
}

async function openAll({ client }: ReturnType<typeof start>, types: readonly string[]): Promise<void> {
  for (const [index, streamtype] of types.entries()) await client.open(2 * index + 1, { streamtype });
}

test('streams by their type; the input ends by half', async () => {
  const run = start(async ({ stdin, stdout, stderr }) => {
    for await (const chunk of stdin ?? []) stdout?.write(String(chunk).toUpperCase());
    stderr?.write('!');
    return success;
  });
  await openAll(run, ['error', 'stdin', 'stdout', 'stderr']);
  run.client.data(3, 'hello');
  run.client.data(3, '', true);
  const { data, fins } = await run.client.until(({ control }) => control.some(({ type }) => type === 7));
  expect(Object.fromEntries(data)).toEqual({ 1: told, 5: 'HELLO', 7: '!' });
  expect([...fins].sort()).toEqual([1, 5, 7]);
  run.client.stream.end();
  await run.done;
});

test('sizes of the terminal; older clients get text', async () => {
  const run = start(
    async ({ resize, stdout, stderr }) => {
      for await (const { width, height } of resize ?? []) stdout?.write(`${width}x${height}`);
      return stderr ? success : failure;
    },
    'v3.channel.k8s.io',
    true,
  );
  await openAll(run, ['error', 'stdin', 'stdout', 'resize']);
  run.client.data(7, '{"Width":80,"Height":24}', true);
  const { data } = await run.client.until(({ control }) => control.some(({ type }) => type === 7));
  expect(Object.fromEntries(data)).toEqual({ 1: 'exit 3', 5: '80x24' });
  run.client.stream.end();
  await run.done;
});

test('a client that does not open its streams is left after a while', async () => {
  const run = start(async () => success);
  await openAll(run, ['error', 'stdin']);
  await run.client.until(({ control }) => control.length === 2);
  await run.clock.advance(30_000);
  const { control } = await run.client.until((seen) => seen.control.length === 3);
  expect(control.at(-1)?.type).toBe(7);
  run.client.stream.end();
  await run.done;
});

test('a client that leaves ends the command', async () => {
  let aborted = false;
  const run = start(async ({ stdin, signal }) => {
    for await (const _ of stdin ?? []);
    aborted = signal.aborted;
    return success;
  });
  await openAll(run, ['error', 'stdin', 'stdout', 'stderr']);
  await run.client.until(({ control }) => control.length === 4);
  run.client.stream.destroy();
  await run.done;
  expect(aborted).toBe(true);
});
