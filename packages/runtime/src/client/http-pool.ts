/// <reference path="./undici-parts.d.ts" />
import { rootCertificates } from 'node:tls';
import type { Agent, Dispatcher } from 'undici';
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
  const { proxy } = connection;
  const openWith = proxy === undefined ? await loadDirect() : await loadProxied(proxy);
  const open = (connections: number | null) => openWith(connection, credentials, connections);
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

type Open = (connection: Connection, credentials: Credentials, connections: number | null) => Dispatcher;

/** Only what direct connections need of undici, whose door also loads `fetch`, caches and mocks: 15 MB of memory instead of 28. */
async function loadDirect(): Promise<Open> {
  const [{ default: DirectAgent }, { default: request }] = await Promise.all([
    import('undici/lib/dispatcher/agent.js'),
    import('undici/lib/api/api-request.js'),
  ]);
  return (connection, credentials, connections) => {
    const connect = { ...tlsOf(connection, credentials), keepAlive: true, keepAliveInitialDelay: 15_000 };
    const agent: Agent = new DirectAgent({ ...common, connections, connect });
    // It is the door that gives dispatchers this method.
    return Object.assign(agent, { request });
  };
}

async function loadProxied(proxy: string): Promise<Open> {
  const { ProxyAgent, Socks5ProxyAgent } = await import('undici');
  return (connection, credentials, connections) => {
    const requestTls = tlsOf(connection, credentials);
    if (proxy.startsWith('socks5:')) {
      // It takes its limits from each request.
      const limits = { connections, pipelining: 1, headersTimeout: 0 };
      return new Socks5ProxyAgent(proxy, { connectTimeout, requestTls }).compose(
        (dispatch) => (options, handler) => dispatch({ bodyTimeout: 0, ...options, ...limits }, handler),
      );
    }
    const { ca } = credentials;
    // The cluster's authority may have signed the proxy's certificate too; a public one counts as well.
    const proxyTls = { ...(ca ? { ca: [...rootCertificates, ca] } : {}), rejectUnauthorized: !connection.insecure };
    return new ProxyAgent({ ...common, connections, connectTimeout, uri: proxy, requestTls, proxyTls });
  };
}

// HTTP/1.1 only: Node's HTTP/2 has leaked under long watches.
const common = { allowH2: false, pipelining: 1, keepAliveTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0 };

function tlsOf(connection: Connection, { ca, cert, key }: Credentials) {
  return {
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(connection.serverName ? { servername: connection.serverName } : {}),
    rejectUnauthorized: !connection.insecure,
    timeout: connectTimeout,
  };
}
