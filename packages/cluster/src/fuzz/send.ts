import { Agent, type RequestOptions, request } from 'node:https';
import { type ConnectionOptions, connect } from 'node:tls';
import { loadKubeconfig } from '@coxswain/runtime/client';
import type { Clock, Timer } from '@coxswain/runtime/core';
import type { Sample } from './corpus.ts';
import type { Garbage } from './garbage.ts';

/** Milliseconds an answer is waited for: longer than the server takes for any request that is not a stream. */
const patience = 65_000;
/** Milliseconds that are read of an answer that does not end. */
const glance = 300;

/** What came back. Status 0: nothing did, and `text` says why. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

export interface Sender {
  send(sample: Sample): Promise<Reply>;
  /** Sends bytes over a connection of their own, and leaves. What comes back is for no one to understand. */
  throw(garbage: Garbage): Promise<void>;
  close(): void;
}

/** Sends requests over a few connections that are kept, as one administrator. */
export async function sender(kubeconfig: string, clock: Clock, sockets: number): Promise<Sender> {
  const connection = await loadKubeconfig({ text: kubeconfig });
  const { ca, cert, key } = await connection.credentials.current();
  const agent = new Agent({ keepAlive: true, maxSockets: sockets, ca, cert, key });
  const { hostname, port } = new URL(connection.server);
  return {
    send: (sample) => exchange({ agent, hostname, port, method: sample.method, path: sample.path }, sample, clock),
    throw: (garbage) => over({ host: hostname, port: Number(port), ca, cert, key }, garbage, clock),
    close: () => agent.destroy(),
  };
}

/** Milliseconds for which bytes wait for an answer to those before them. */
const moment = 20;

function over(options: ConnectionOptions, { protocol, head, rest }: Garbage, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ ...options, ALPNProtocols: [protocol] }, () => {
      socket.write(head);
      clock.after(moment, () => {
        if (socket.writable) socket.write(rest);
        clock.after(moment, () => socket.destroy());
      });
    });
    socket.resume();
    socket.on('error', () => {});
    socket.once('close', () => resolve());
  });
}

function exchange(options: RequestOptions, { body, contentType, accept }: Sample, clock: Clock): Promise<Reply> {
  const headers = {
    ...(accept === undefined ? {} : { accept }),
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(body ? { 'content-length': body.length } : {}),
  };
  return new Promise((resolve) => {
    let timer: Timer | undefined;
    const settle = (reply: Reply) => {
      timer?.cancel();
      resolve(reply);
    };
    const outgoing = request({ ...options, headers, timeout: patience }, (incoming) => {
      const { statusCode: status = 0 } = incoming;
      let text = '';
      timer = clock.after(glance, () => {
        settle({ status, text });
        outgoing.destroy();
      });
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        if (text.length < 4_000) text += chunk;
      });
      incoming.once('end', () => settle({ status, text }));
      incoming.once('error', (error) => settle({ status: 0, text: String(error) }));
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer in ${patience / 1000}s`)));
    outgoing.once('error', (error) => settle({ status: 0, text: String(error) }));
    outgoing.end(body);
  });
}
