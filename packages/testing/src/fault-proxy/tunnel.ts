import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The client's side of a connection that is to become something else than HTTP. */
export interface TunnelEnd {
  readonly socket: Socket;
  /** What the client has sent already. */
  readonly head: Buffer;
  /** Called for each piece from the server: whether the connection ends in its middle. */
  cuts(): boolean;
}

/** Lets the server answer an upgrade, and carries bytes both ways until one side has ended. Whatever breaks on one side breaks the other. */
export function tunnel(asked: ClientRequest, { socket, head, cuts }: TunnelEnd): void {
  socket.on('error', () => {});
  socket.once('close', () => asked.destroy());
  asked.once('error', () => socket.destroy());
  asked.once('response', (answer) => {
    // No upgrade: the server says why, and that is all.
    socket.write(headOf(answer));
    answer.on('data', (chunk: Buffer) => socket.write(chunk));
    answer.once('close', () => socket.end());
  });
  asked.once('upgrade', (answer, server: Socket, first: Buffer) => {
    server.on('error', () => {});
    server.once('close', () => socket.destroy());
    socket.once('close', () => server.destroy());
    const pass = (chunk: Buffer) => {
      if (cuts()) socket.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => socket.destroy());
      else if (!socket.write(chunk)) server.pause();
    };
    socket.write(headOf(answer));
    if (first.length > 0) pass(first);
    server.on('data', pass);
    socket.on('drain', () => server.resume());
    server.write(head);
    socket.pipe(server);
  });
  asked.end();
}

function headOf({ statusCode, statusMessage, rawHeaders, headers }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    // The body of a refusal is passed on without chunks, until the end of the connection.
    if (headers['transfer-encoding'] && rawHeaders[i]?.toLowerCase() === 'transfer-encoding') continue;
    lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
