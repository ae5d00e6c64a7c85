import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { stringifyJson } from '../client/index.ts';
import {
  ApiError,
  apiError,
  type Clock,
  type Logger,
  messageOf,
  parseDuration,
  TimeoutError,
  withTimeout,
} from '../core/index.ts';
import type { KeyPair } from '../pki/index.ts';
import type { WebhookObserver } from './metrics.ts';
import { readJsonBody } from './read-json-body.ts';

/** Something that answers one JSON document with another. */
export interface Endpoint {
  readonly path: string;
  /** Bytes a request may have. */
  readonly bodyLimit: number;
  /** @throws ApiError which becomes the HTTP answer */
  answer(body: unknown, signal: AbortSignal): Promise<unknown>;
}

export interface HttpsServerOptions {
  readonly port: number;
  readonly host: string | undefined;
  /** PEM; when set, only clients with a certificate of this authority are heard. */
  readonly clientCa: string | undefined;
  readonly endpoints: readonly Endpoint[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: WebhookObserver;
}

/** Milliseconds for a client that does not say how long it waits: what the API server waits by default. */
const defaultPatience = 10_000;
/** The longest that a configuration may set. */
const longestPatience = 30_000;
/** Milliseconds for a TLS handshake, and for the head of a request. */
const handshakePatience = 10_000;

/**
 * Serves endpoints over TLS; POST only. Failures are answered with a `Status`, whose message an API server shows to its user.
 * `node:https` is loaded with the first start.
 */
export class HttpsServer {
  readonly #options: HttpsServerOptions;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  #server: Server | undefined;
  #closing = false;

  constructor(options: HttpsServerOptions) {
    this.#options = options;
    this.#endpoints = new Map(options.endpoints.map((endpoint) => [endpoint.path, endpoint]));
  }

  /** The port in use; 0 when it does not listen. */
  get port(): number {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port ?? 0;
  }

  /** @throws Error when the port is taken, or the certificate is none */
  async start(pair: KeyPair): Promise<void> {
    const { createServer } = await import('node:https');
    const { port, host, log, endpoints, observer } = this.#options;
    for (const { path } of endpoints) observer.serves(path);
    const timeouts = {
      handshakeTimeout: handshakePatience,
      headersTimeout: handshakePatience,
      requestTimeout: longestPatience + handshakePatience,
      // longer than the 90 s for which Go clients keep idle connections, so that they never write to a closing one
      keepAliveTimeout: 120_000,
    };
    const trust = { requestCert: this.#options.clientCa !== undefined, rejectUnauthorized: true };
    const server = createServer({ ...this.#context(pair), ...trust, ...timeouts }, (request, response) => {
      void this.#serve(request, response);
    });
    server.on('tlsClientError', (error) => log.debug({ err: error }, 'TLS handshake failed'));
    this.#closing = false;
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    server.on('error', (error) => log.error({ err: error }, 'webhook server'));
  }

  /** New connections get this certificate; those that are open go on. */
  swap(pair: KeyPair): void {
    this.#server?.setSecureContext(this.#context(pair));
  }

  /** Takes no more requests, lets those that run end for `patience` milliseconds, and frees the port. */
  async stop(patience: number): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    this.#closing = true;
    const closed = new Promise((resolve) => server.close(resolve));
    const timer = this.#options.clock.after(patience, () => server.closeAllConnections());
    await closed;
    timer.cancel();
  }

  #context({ cert, key }: KeyPair): SecureContextOptions {
    const { clientCa } = this.#options;
    return { cert, key, minVersion: 'TLSv1.2', ...(clientCa === undefined ? {} : { ca: clientCa }) };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, observer, log } = this.#options;
    const [path, query] = split(request.url ?? '/');
    const endpoint = this.#endpoints.get(path);
    if (!endpoint) return this.#refuse(response, notServed(path));
    if (request.method !== 'POST') return this.#refuse(response, onlyPost(path));
    const began = clock.monotonic();
    observer.began(path);
    let code = 200;
    try {
      const answer = await this.#answer(endpoint, request, response, patienceOf(query));
      this.#send(response, 200, answer);
    } catch (error) {
      const failure = failureOf(error);
      code = failure.code;
      log.warn({ path, code, err: failure.message }, 'a request to a webhook failed');
      // who does not end the request in time is not waited for any longer
      if (!request.complete && code === 504) response.setHeader('connection', 'close');
      this.#refuse(response, failure);
    } finally {
      observer.ended(path, code, clock.monotonic() - began);
    }
  }

  async #answer(
    endpoint: Endpoint,
    request: IncomingMessage,
    response: ServerResponse,
    patience: number,
  ): Promise<string> {
    const gone = new AbortController();
    response.once('close', () => gone.abort(new TimeoutError('the client went away before it had its answer')));
    const run = async (signal: AbortSignal) => {
      const body = await readJsonBody(request, endpoint.bodyLimit, signal);
      return stringifyJson(await endpoint.answer(body, signal));
    };
    return withTimeout(this.#options.clock, patience, endpoint.path, run, gone.signal);
  }

  #refuse(response: ServerResponse, failure: ApiError): void {
    this.#send(response, failure.code, stringifyJson(failure.status));
  }

  #send(response: ServerResponse, code: number, body: string): void {
    if (this.#closing) response.setHeader('connection', 'close');
    response.writeHead(code, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  }
}

function split(url: string): [path: string, query: URLSearchParams] {
  const mark = url.indexOf('?');
  return mark < 0 ? [url, new URLSearchParams()] : [url.slice(0, mark), new URLSearchParams(url.slice(mark + 1))];
}

/** Milliseconds: a little less than the client waits (`timeout=10s`), so that it hears why there is no answer. */
function patienceOf(query: URLSearchParams): number {
  let asked = defaultPatience;
  try {
    asked = parseDuration(query.get('timeout') ?? '10s');
  } catch {
    // whoever says something else waits as long as the others
  }
  const patience = asked > 0 ? Math.min(asked, longestPatience) : defaultPatience;
  return patience - Math.min(patience / 10, 500);
}

function notServed(path: string): ApiError {
  return apiError(404, 'NotFound', `no webhook is served at ${path}; compare the path in the webhook configuration`);
}

function onlyPost(path: string): ApiError {
  return apiError(405, 'MethodNotAllowed', `${path} answers POST only`);
}

function failureOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TimeoutError) return apiError(504, 'Timeout', error.message);
  return apiError(500, 'InternalError', messageOf(error));
}
