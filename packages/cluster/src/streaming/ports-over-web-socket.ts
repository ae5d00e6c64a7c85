import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import type { PortForwardSession } from '../apiserver/streams.ts';
import { Channel } from './channel.ts';
import { type ChannelSink, Channels } from './channels.ts';
import { WebSocket } from './web-socket.ts';

/** Subprotocols for port-forward without a tunnel; `''`: the client named none. */
export const portForwardProtocols = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io', ''] as const;

/**
 * Forwards the ports of the query for the client of an upgraded connection: two channels for each, data and errors, both opened by the
 * port in two bytes, the lower first. Resolves when the connection is done with.
 */
export async function portsOverWebSocket(
  stream: Duplex,
  session: PortForwardSession,
  protocol: (typeof portForwardProtocols)[number],
  clock: Clock,
): Promise<void> {
  const gone = new AbortController();
  const socket = new WebSocket(stream, clock);
  const sinks = new Map<number, ChannelSink>();
  const channels = new Channels(socket, { base64: protocol.includes('base64'), halfClose: false }, sinks);
  const forwards = session.ports.map(async (port, index) => {
    const [data, errors] = [2 * index, 2 * index + 1] as const;
    const connection = new Channel({ reads: true, send: (bytes) => channels.send(data, bytes) });
    sinks.set(data, connection);
    const opening = Buffer.from([port & 0xff, port >> 8]);
    await Promise.all([channels.send(data, opening), channels.send(errors, opening)]);
    try {
      await session.connect(port, connection, gone.signal);
      await connection.flushed();
    } catch (reason) {
      await channels.send(errors, Buffer.from(reason instanceof Error ? reason.message : String(reason)));
    }
    connection.destroy();
  });
  const reading = channels.read().finally(() => gone.abort());
  await Promise.all(forwards);
  await socket.close();
  await reading;
}
