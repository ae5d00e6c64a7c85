import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import type { CommandSession } from '../apiserver/streams.ts';
import { statusBytes, statusOfRun } from './command-status.ts';
import { SpdyConnection, type SpdyStream } from './spdy/connection.ts';
import { TerminalSizes } from './terminal-sizes.ts';

/** Protocols for exec and attach over SPDY. Version 3 brought the sizes of the terminal, version 4 the status with the exit code. */
export const spdyCommandProtocols = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
] as const;

export type SpdyCommandProtocol = (typeof spdyCommandProtocols)[number];

/** Milliseconds for which a client may take to open the streams it asked for. */
export const streamPatience = 30_000;

/** Runs a command for the client of an upgraded connection. Resolves when the connection is done with. */
export async function commandOverSpdy(
  stream: Duplex,
  session: CommandSession,
  protocol: SpdyCommandProtocol,
  clock: Clock,
): Promise<void> {
  const resizes = session.tty && (protocol.startsWith('v4.') || protocol.startsWith('v3.'));
  const wanted = new Set(['error']);
  if (session.stdin) wanted.add('stdin');
  if (session.stdout) wanted.add('stdout');
  if (session.stderr && !session.tty) wanted.add('stderr');
  if (resizes) wanted.add('resize');
  const streams = new Map<string, SpdyStream>();
  const complete = Promise.withResolvers<boolean>();
  const connection = new SpdyConnection(stream, clock, (opened) => {
    const type = opened.headers.get('streamtype') ?? '';
    if (!wanted.has(type) || streams.has(type)) return false;
    streams.set(type, opened);
    if (streams.size === wanted.size) complete.resolve(true);
    return true;
  });
  const gone = new AbortController();
  const running = connection.run().finally(() => {
    gone.abort();
    complete.resolve(false);
  });
  const patience = clock.after(streamPatience, () => complete.resolve(false));
  const isComplete = await complete.promise;
  patience.cancel();
  if (isComplete) await serve(session, streams, protocol, gone.signal);
  connection.close();
  await running;
}

async function serve(
  session: CommandSession,
  streams: ReadonlyMap<string, SpdyStream>,
  protocol: SpdyCommandProtocol,
  signal: AbortSignal,
): Promise<void> {
  const channel = (type: string) => streams.get(type)?.channel;
  const stdin = channel('stdin');
  const stdout = channel('stdout');
  const stderr = channel('stderr');
  const resize = channel('resize') && new TerminalSizes();
  channel('resize')
    ?.on('data', (data: Buffer) => resize?.deliver(data))
    .on('close', () => resize?.finish())
    .on('end', () => resize?.finish());
  const status = await statusOfRun(session, {
    ...(stdin ? { stdin } : {}),
    ...(stdout ? { stdout } : {}),
    ...(stderr ? { stderr } : {}),
    ...(resize ? { resize } : {}),
    signal,
  });
  await Promise.all([stdout?.flushed(), stderr?.flushed()]);
  const error = channel('error');
  error?.write(statusBytes(status, protocol.startsWith('v4.')));
  await error?.flushed();
  resize?.finish();
}
