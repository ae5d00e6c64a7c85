import { createConnection } from 'node:net';
import { type Clock, withTimeout } from '@coxswain/runtime/core';
import { dgram } from '../../../late-modules.ts';
import { framed, messagesOf } from './tcp-messages.ts';

/** Asks others. Rejects when nobody answers in time. */
export type Forward = (query: Uint8Array, overTcp: boolean) => Promise<Uint8Array>;

/** Milliseconds to wait for one server. */
const limit = 2_000;
const port = 53;

function overUdp(server: string, query: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  const socket = dgram().createSocket(server.includes(':') ? 'udp6' : 'udp4');
  return new Promise<Uint8Array>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    socket.on('error', reject);
    socket.on('message', (answer, from) => {
      // Only who was asked answers, and only this question.
      if (from.address === server && from.port === port && answer[0] === query[0] && answer[1] === query[1]) {
        resolve(answer);
      }
    });
    socket.send(query, port, server);
  }).finally(() => socket.close());
}

async function overTcp(server: string, query: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  const socket = createConnection({ host: server, port, signal });
  try {
    socket.write(framed(query));
    for await (const answer of messagesOf(socket)) return answer;
    throw new Error(`the name server ${server} closed the connection without an answer`);
  } finally {
    socket.destroy();
  }
}

/** Asks servers one after the other. */
export function forwarder(servers: readonly string[], clock: Clock): Forward {
  return async (query, tcp) => {
    let failure: unknown = new Error('this machine has no name server');
    for (const server of servers) {
      try {
        const ask = tcp ? overTcp : overUdp;
        return await withTimeout(clock, limit, `name server ${server}`, (signal) => ask(server, query, signal));
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
}
