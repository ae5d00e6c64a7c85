import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'connect: connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
  ENOENT: 'connect: no such file or directory',
};

/** Why there is no connection, in Go's words, as clients of Kubernetes know them. */
export function failedDial(host: string, port: number, error: NodeJS.ErrnoException): Error {
  return new Error(`dial tcp ${host}:${port}: ${words[error.code ?? ''] ?? error.message}`, { cause: error });
}

/** Connects over TCP; the connection may be half-open. Rejects in Go's words. */
export function dialTcp(host: string, port: number, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const socket = createConnection({ host, port, allowHalfOpen: true, noDelay: true });
    const leave = () => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    const settled = () => signal.removeEventListener('abort', leave);
    const failed = (error: NodeJS.ErrnoException) => {
      settled();
      reject(failedDial(host, port, error));
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      settled();
      socket.off('error', failed);
      // Who takes the connection sees its end; an error in between must not be nobody's.
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}
