import type { Dispatcher } from 'undici';
import type { Connection, Credentials } from './connection.ts';

/** The connections to one API server: watches have their own, so that no call ever waits behind them. */
export interface HttpPool {
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
  /** Lets what runs come to its end. */
  close(): Promise<void>;
  /** Lets calls come to their end, and breaks watches off. */
  shutDown(): Promise<void>;
}

/** Sockets at most. Calls beyond it wait in line; watches never do. */
const callSockets = 32;

/** Opens a pool for these credentials. Loads the HTTP library, which takes a moment, when it is first called. */
export async function openPool(connection: Connection, credentials: Credentials): Promise<HttpPool> {
  const { Agent, ProxyAgent } = await import('undici');
  const { ca, cert, key } = credentials;
  const tls = {
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(connection.serverName ? { servername: connection.serverName } : {}),
    rejectUnauthorized: !connection.insecure,
  };
  // HTTP/1.1 only: Node's HTTP/2 has leaked under long watches.
  const common = { allowH2: false, pipelining: 1, keepAliveTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0 };
  const open = (connections: number | null): Dispatcher =>
    connection.proxy
      ? new ProxyAgent({ ...common, connections, uri: connection.proxy, requestTls: tls })
      : new Agent({
          ...common,
          connections,
          connect: { ...tls, keepAlive: true, keepAliveInitialDelay: 15_000, timeout: 10_000 },
        });
  const calls = open(callSockets);
  const watches = open(null);
  return {
    calls,
    watches,
    async close() {
      await Promise.all([calls.close(), watches.close()]);
    },
    async shutDown() {
      await Promise.all([calls.close(), watches.destroy()]);
    },
  };
}
