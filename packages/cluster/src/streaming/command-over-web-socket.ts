import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import type { CommandSession } from '../apiserver/streams.ts';
import { Channel } from './channel.ts';
import { type ChannelSink, Channels } from './channels.ts';
import { statusBytes, statusOfRun } from './command-status.ts';
import { TerminalSizes } from './terminal-sizes.ts';
import { WebSocket } from './web-socket.ts';

/** Subprotocols for exec and attach, as the real server has them; `''`: the client named none. */
export const commandProtocols = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
  '',
] as const;

export type CommandProtocol = (typeof commandProtocols)[number];

const channelOf = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** Runs a command for the client of an upgraded connection. Resolves when the connection is done with. */
export async function commandOverWebSocket(
  stream: Duplex,
  session: CommandSession,
  protocol: CommandProtocol,
  clock: Clock,
): Promise<void> {
  const gone = new AbortController();
  const stdin = session.stdin ? new Channel({ reads: true }) : undefined;
  const resize = session.tty ? new TerminalSizes() : undefined;
  const sinks = new Map<number, ChannelSink>();
  if (stdin) sinks.set(channelOf.stdin, stdin);
  if (resize) sinks.set(channelOf.resize, resize);
  const socket = new WebSocket(stream, clock);
  const codec = { base64: protocol.includes('base64'), halfClose: protocol.startsWith('v5.') };
  const channels = new Channels(socket, codec, sinks);
  const outlet = (wanted: boolean, channel: number) =>
    wanted ? new Channel({ reads: false, send: (data) => channels.send(channel, data) }) : undefined;
  const stdout = outlet(session.stdout, channelOf.stdout);
  const stderr = outlet(session.stderr && !session.tty, channelOf.stderr);
  // An empty message tells the client that the connection stands.
  await channels.send(stdout ? channelOf.stdout : stderr ? channelOf.stderr : channelOf.error, Buffer.alloc(0));
  const reading = channels.read().finally(() => gone.abort());
  const status = await statusOfRun(session, {
    ...(stdin ? { stdin } : {}),
    ...(stdout ? { stdout } : {}),
    ...(stderr ? { stderr } : {}),
    ...(resize ? { resize } : {}),
    signal: gone.signal,
  });
  await Promise.all([stdout?.flushed(), stderr?.flushed()]);
  const told = statusBytes(status, protocol.startsWith('v'));
  if (told.length > 0) await channels.send(channelOf.error, told);
  await socket.close();
  stdin?.destroy();
  resize?.finish();
  await reading;
}
