import { connect as connectSocket, createServer, type Socket } from 'node:net';
import type { ByteStream, Dial, StreamReader } from './stream.ts';

/**
 * Splits `host:port`; a host of IPv6 is in brackets.
 * @throws Error naming the address that is none
 */
export function parseAddress(address: string): { host: string; port: number } {
  const match = /^(?:\[([\da-fA-F:.%\w]+)\]|([^\s:[\]/]+)):(\d{1,5})$/.exec(address);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host && port > 0 && port <= 65_535) return { host, port };
  throw new Error(`${JSON.stringify(address)} is no address; expected host:port`);
}

function streamOf(socket: Socket): ByteStream {
  socket.setNoDelay(true);
  let reader: StreamReader | undefined;
  let gone: { readonly error?: Error } | undefined;
  const end = (error?: Error) => {
    if (gone) return;
    gone = error ? { error } : {};
    reader?.ended(error);
  };
  // There from the start: an error that nobody listens for ends the process.
  socket.on('error', end);
  socket.on('close', () => end());
  socket.on('end', () => end());
  return {
    read(into) {
      reader = into;
      if (gone) return into.ended(gone.error);
      socket.on('data', (bytes: Buffer) => {
        if (!gone) into.data(bytes);
      });
    },
    write(bytes) {
      if (!gone) socket.write(bytes);
    },
    close() {
      gone ??= {};
      socket.destroy();
    },
  };
}

/** Connects over TCP. */
export const dialTcp: Dial = async (address, signal) => {
  signal.throwIfAborted();
  const { host, port } = parseAddress(address);
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ host, port });
    const settle = () => {
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('error', onError);
      socket.removeListener('connect', onConnect);
    };
    const onError = (error: Error) => {
      settle();
      reject(error);
    };
    const onAbort = () => {
      settle();
      // What a socket that is given up still reports concerns nobody, and must not end the process.
      socket.on('error', () => {});
      socket.destroy();
      reject(signal.reason);
    };
    const onConnect = () => {
      settle();
      resolve(streamOf(socket));
    };
    socket.once('error', onError);
    socket.once('connect', onConnect);
    signal.addEventListener('abort', onAbort, { once: true });
  });
};

/** A port that is listened on. */
export interface Listening {
  /** `host:port`, with the port that was given when 0 was asked for. */
  readonly address: string;
  /** Stops listening, and ends the connections that were made. */
  close(): Promise<void>;
}

/** Listens on TCP, and hands over each connection as it is made. Rejects when the address is taken or is not this machine's. */
export function listenTcp(host: string, port: number, accept: (stream: ByteStream) => void): Promise<Listening> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    accept(streamOf(socket));
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, host, () => {
      const bound = server.address();
      const shown = host.includes(':') ? `[${host}]` : host;
      resolve({
        address: `${shown}:${typeof bound === 'object' ? bound?.port : port}`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            for (const socket of sockets) socket.destroy();
          }),
      });
    });
  });
}
