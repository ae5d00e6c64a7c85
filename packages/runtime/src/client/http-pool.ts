import { rootCertificates } from 'node:tls';
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

/** Milliseconds until a server or proxy that does not answer counts as not reachable. */
const connectTimeout = 10_000;

/**
 * Opens a pool for these credentials. Loads the HTTP library, which takes a moment, when it is first called.
 * @param maxConnections for calls; those beyond it wait in line. Watches never do
 */
export async function openPool(
  connection: Connection,
  credentials: Credentials,
  maxConnections: number,
): Promise<HttpPool> {
  const undici = await import('undici');
  const open = (connections: number | null) => openDispatcher(undici, connection, credentials, connections);
  const calls = open(maxConnections);
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

function openDispatcher(
  { Agent, ProxyAgent, Socks5ProxyAgent }: typeof import('undici'),
  connection: Connection,
  { ca, cert, key }: Credentials,
  connections: number | null,
): Dispatcher {
  const tls = {
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(connection.serverName ? { servername: connection.serverName } : {}),
    rejectUnauthorized: !connection.insecure,
    timeout: connectTimeout,
  };
  // HTTP/1.1 only: Node's HTTP/2 has leaked under long watches.
  const common = { allowH2: false, pipelining: 1, keepAliveTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0 };
  const { proxy } = connection;
  if (proxy?.startsWith('socks5:')) {
    // It takes its limits from each request.
    const limits = { connections, pipelining: 1, headersTimeout: 0 };
    return new Socks5ProxyAgent(proxy, { connectTimeout, requestTls: tls }).compose(
      (dispatch) => (options, handler) => dispatch({ bodyTimeout: 0, ...options, ...limits }, handler),
    );
  }
  if (!proxy) {
    const connect = { ...tls, keepAlive: true, keepAliveInitialDelay: 15_000 };
    return new Agent({ ...common, connections, connect });
  }
  // The cluster's authority may have signed the proxy's certificate too; a public one counts as well.
  const proxyTls = { ...(ca ? { ca: [...rootCertificates, ca] } : {}), rejectUnauthorized: !connection.insecure };
  return new ProxyAgent({ ...common, connections, connectTimeout, uri: proxy, requestTls: tls, proxyTls });
}
