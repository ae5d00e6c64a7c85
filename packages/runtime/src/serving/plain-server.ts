import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkPort, messageOf } from '../core/index.ts';
import type { Runnable } from '../manager/types.ts';

/** Where a server listens. */
export interface Listening {
  /** TCP port; 0 takes any free one. */
  readonly port: number;
  /** Default: all addresses, as probes and scrapers come from outside the pod. */
  readonly host?: string;
}

/** A server among the runnables of a manager; it serves on standbys too. Those for probes and scrapers are up before other runnables. */
export interface ServerRunnable extends Runnable {
  /** The port in use; 0 when it does not listen. */
  readonly port: number;
}

/** What is answered to a GET. */
export interface Answer {
  readonly code: number;
  readonly body: string;
  /** Default `text/plain; charset=utf-8`. */
  readonly contentType?: string;
}

/** Answers a path and its query, or `undefined`: no such path. */
export type Route = (path: string, query: URLSearchParams) => Promise<Answer | undefined>;

/** Milliseconds a client may take to send its request. */
const patience = 10_000;

/**
 * A small HTTP server for probes and scrapers: GET and HEAD only, no bodies. What a route throws is answered with 500.
 * `node:http` is loaded with the first start.
 */
export class PlainServer implements ServerRunnable {
  readonly name: string;
  readonly early = true;
  readonly #at: Listening;
  readonly #route: Route;
  #server: Server | undefined;

  /** @param name in logs @throws RangeError for a port that is none */
  constructor(name: string, at: Listening, route: Route) {
    checkPort(name, at.port ?? null);
    this.name = name;
    this.#at = at;
    this.#route = route;
  }

  get port(): number {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port ?? 0;
  }

  /** @throws Error when the port is taken */
  async start(): Promise<void> {
    const { createServer } = await import('node:http');
    const server = createServer({ requestTimeout: patience, headersTimeout: patience }, (request, response) => {
      void this.#serve(request, response);
    });
    const { port, host } = this.#at;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    // A process whose work has ended does not live on for its probes.
    server.unref();
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { code, body, contentType = 'text/plain; charset=utf-8' } = await this.#answer(request);
    response.writeHead(code, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  async #answer({ method, url = '/' }: IncomingMessage): Promise<Answer> {
    if (method !== 'GET' && method !== 'HEAD') return { code: 405, body: 'only GET and HEAD are answered here\n' };
    try {
      const { pathname, searchParams } = new URL(url, 'http://local');
      const answer = await this.#route(pathname, searchParams);
      return answer ?? { code: 404, body: `there is no ${pathname} here\n` };
    } catch (error) {
      return { code: 500, body: `${messageOf(error)}\n` };
    }
  }
}
