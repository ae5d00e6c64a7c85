import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { ApiError, type Clock, systemClock } from '../core/index.ts';
import type { Connection, Credentials } from './connection.ts';
import { ConnectionError, TransportClosed } from './errors.ts';
import { type Answer, exchange, HeldBack } from './exchange.ts';
import { type HttpPool, openPool } from './http-pool.ts';
import { impersonationHeaders } from './impersonation.ts';
import { ListDecoder } from './list-decoder.ts';
import { type Holder, parseWithoutManagedFields } from './managed-fields.ts';
import { parseJson, stringifyJson } from './parse-json.ts';
import { responseError, unexpected } from './response-error.ts';
import type { Transport, TransportRequest, TransportResponse, WatchEvent } from './transport.ts';
import { troubleOf } from './trouble.ts';
import { warningTexts } from './warnings.ts';
import { WatchDecoder } from './watch-decoder.ts';

/** Limits of the connections to a server; all of it optional. */
export interface HttpTransportOptions {
  /** Default: the machine's. Only reads dates in `Retry-After`; sockets keep their own time. */
  readonly clock?: Clock;
  /** Calls under way at a time, each on a connection of its own; more wait in line. Watches do not count. Default 32. */
  readonly maxConnections?: number;
  /**
   * Milliseconds of silence after which a watch counts as broken. Default: 180 000 when bookmarks were asked for (they come
   * about every minute), else until 10 s after the watch's own timeout, else never.
   */
  readonly watchIdle?: number;
}

/** How an answer begins, whether it has come whole or not. */
type Head = Pick<Answer, 'statusCode' | 'headers'>;

type Options = Dispatcher.DispatchOptions & Pick<Dispatcher.RequestOptions, 'method'>;

/** One way to put a request on the wire. */
interface Sending<R extends Head> {
  readonly compressed: boolean;
  /** Whether the status is that of an answer as it is wanted, not of a refusal or a redirection. */
  accepts(statusCode: number): boolean;
  send(pool: HttpPool, options: Options): Promise<R>;
  /** The body of an answer that refuses. */
  bodyOf(response: R): Promise<Buffer>;
}

/** Milliseconds of silence after which a list that arrives counts as broken. */
const listIdle = 30_000;
/** Bytes of a list that are taken at a time: small enough to leave room for everything else. */
const listChunk = 65_536;

const closedMeanwhile = 'the transport was closed meanwhile; close it when everything that uses it has ended';
const elsewhere = 'look whether the address is that of an API server';

/** Speaks to an API server over HTTP/1.1: one keep-alive pool for calls, another for watches. */
export function httpTransport(connection: Connection, options: HttpTransportOptions = {}): Transport {
  return new HttpTransport(connection, options);
}

const unzip = promisify(gunzip);

class HttpTransport implements Transport {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #watchIdle: number | undefined;
  readonly #maxConnections: number;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #impersonation: Readonly<Record<string, string | string[]>>;
  #pool: { readonly credentials: Credentials; readonly opening: Promise<HttpPool> } | undefined;
  #closed = false;

  constructor(connection: Connection, options: HttpTransportOptions) {
    const url = new URL(connection.server);
    this.#connection = connection;
    this.#clock = options.clock ?? systemClock;
    this.#watchIdle = options.watchIdle;
    this.#maxConnections = options.maxConnections ?? 32;
    if (!Number.isInteger(this.#maxConnections) || this.#maxConnections < 1) {
      throw new RangeError(`option "maxConnections" is ${this.#maxConnections}; give a whole number above 0`);
    }
    this.#impersonation = connection.impersonation ? impersonationHeaders(connection.impersonation) : {};
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { statusCode, headers, body } = await this.#authenticated(request, {
      compressed: !this.#connection.disableCompression,
      accepts: (code) => code >= 200 && code < 300,
      send: ({ calls }, options) => exchange(calls, options, request),
      bodyOf: async (answer) => answer.body,
    });
    return {
      status: statusCode,
      body: await this.#parsed(body, headers, request),
      warnings: warningTexts(headers.warning),
    };
  }

  async watch(request: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>> {
    // Compressed, events would be held back until a block is full.
    const response = await this.#opened(request, false, this.#idle(request));
    return this.#events(response, request, new WatchDecoder(request.keepManagedFields));
  }

  readonly list = async (request: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>> => {
    const response = await this.#opened(request, !this.#connection.disableCompression, listIdle);
    return this.#events(response, request, new ListDecoder(request.keepManagedFields));
  };

  async close(): Promise<void> {
    this.#closed = true;
    const pool = this.#pool;
    this.#pool = undefined;
    await (await pool?.opening)?.shutDown();
  }

  async #opened(request: TransportRequest, compressed: boolean, bodyTimeout: number): Promise<Dispatcher.ResponseData> {
    const { signal = null } = request;
    const response = await this.#authenticated(request, {
      compressed,
      accepts: (code) => code === 200,
      send: ({ watches }, options) => watches.request({ ...options, signal, bodyTimeout }),
      bodyOf: async ({ body }) => Buffer.from(await body.arrayBuffer()),
    });
    const type = String(response.headers['content-type'] ?? 'json');
    if (type.includes('json')) return response;
    response.body.on('error', () => {}).destroy();
    throw this.#broken(new ConnectionError(`what answered sent ${type}, not JSON; ${elsewhere}`), request);
  }

  /** An answer of success. Refused credentials are asked for once more. @throws ApiError ConnectionError */
  async #authenticated<R extends Head>(request: TransportRequest, sending: Sending<R>): Promise<R> {
    const { credentials } = this.#connection;
    const used = await credentials.current();
    const first = await this.#sent(request, sending, used);
    if (!(first instanceof ApiError)) return first;
    if (first.code !== 401 || !credentials.refused(used)) throw first;
    const second = await this.#sent(request, sending, await credentials.current());
    if (second instanceof ApiError) throw second;
    return second;
  }

  /** The answer, or the refusal that it is. @throws ConnectionError, and what the gate throws */
  async #sent<R extends Head>(
    request: TransportRequest,
    { compressed, accepts, send, bodyOf }: Sending<R>,
    credentials: Credentials,
  ): Promise<R | ApiError> {
    if (this.#closed)
      throw new TransportClosed(`${this.#where(request)}: the transport has been closed; open another one`);
    const pool = await this.#poolFor(credentials);
    const options = this.#dispatching(request, credentials, compressed);
    request.gate?.();
    try {
      const response = await send(pool, options);
      return accepts(response.statusCode) ? response : await this.#refusal(response, await bodyOf(response), request);
    } catch (error) {
      throw this.#broken(error, request);
    }
  }

  /** The request as the HTTP library takes it. */
  #dispatching(request: TransportRequest, credentials: Credentials, compressed: boolean): Options {
    const body = request.body === undefined ? undefined : stringifyJson(request.body);
    return {
      origin: this.#origin,
      path: this.#prefix + request.path + queryText(request.query),
      method: request.method,
      headers: { ...request.headers, ...this.#impersonation, ...headersOf(request, credentials, compressed) },
      ...(body === undefined ? {} : { body }),
    };
  }

  /** A pool for the credentials of now; when a certificate has changed, a new one. What runs on the old one goes on. */
  #poolFor(credentials: Credentials): Promise<HttpPool> {
    const pool = this.#pool;
    if (pool && sameTls(pool.credentials, credentials)) return pool.opening;
    if (pool) void pool.opening.then((old) => old.close()).catch(() => {});
    const opening = openPool(this.#connection, credentials, this.#maxConnections);
    this.#pool = { credentials, opening };
    return opening;
  }

  async #refusal({ statusCode, headers }: Head, body: Buffer, request: TransportRequest): Promise<ApiError> {
    if (statusCode < 400) return unexpected(statusCode, this.#where(request), headers.location);
    const retryAfter = headers['retry-after'];
    const said = await this.#parsed(body, headers, request);
    return responseError(
      statusCode,
      said,
      retryAfter === undefined ? undefined : String(retryAfter),
      this.#clock.now(),
    );
  }

  async #parsed(body: Buffer, headers: Head['headers'], request: TransportRequest): Promise<unknown> {
    try {
      const bytes = headers['content-encoding'] === 'gzip' ? await unzip(body) : body;
      const text = bytes.toString('utf8');
      const isJson = String(headers['content-type'] ?? '').includes('json') && text !== '';
      return isJson ? parsed(text, request) : text;
    } catch (error) {
      throw this.#broken(error, request);
    }
  }

  async *#events(
    response: Dispatcher.ResponseData,
    request: TransportRequest,
    decoder: Pick<WatchDecoder, 'push' | 'end'>,
  ): AsyncIterable<readonly WatchEvent[]> {
    try {
      for await (const chunk of plainBody(response)) {
        const events = decoder.push(chunk as Buffer);
        if (events.length > 0) yield events;
      }
      decoder.end();
    } catch (error) {
      if (request.signal?.aborted) return;
      throw this.#broken(error, request);
    } finally {
      response.body.on('error', () => {}).destroy();
    }
  }

  #idle({ query }: TransportRequest): number {
    if (this.#watchIdle !== undefined) return this.#watchIdle;
    if (query?.allowWatchBookmarks === 'true') return 180_000;
    return query?.timeoutSeconds ? (Number(query.timeoutSeconds) + 10) * 1000 : 0;
  }

  #broken(error: unknown, request: TransportRequest): unknown {
    if (error instanceof HeldBack) return error.cause;
    if (request.signal?.aborted) return request.signal.reason;
    const where = this.#where(request);
    if (error instanceof ApiError || (error instanceof ConnectionError && error.message.startsWith(where)))
      return error;
    if (this.#closed) return new TransportClosed(`${where}: ${closedMeanwhile}`, { cause: error });
    return new ConnectionError(`${where}: ${troubleOf(error)}`, { cause: error });
  }

  #where({ method, path }: TransportRequest): string {
    return `${method} ${this.#connection.server}${path}`;
  }
}

function plainBody({ headers, body }: Dispatcher.ResponseData): Readable {
  return headers['content-encoding'] === 'gzip'
    ? pipeline(body, createGunzip({ chunkSize: listChunk }), () => {})
    : body;
}

function parsed(text: string, { keepManagedFields: keep }: TransportRequest): unknown {
  return (keep && parseWithoutManagedFields(text, holdersOf, keep)) ?? parseJson(text);
}

/** Of an answer: the items of a list, or the one object it is. */
function holdersOf(answer: (Holder & { readonly items?: readonly Holder[] }) | null): readonly Holder[] {
  return Array.isArray(answer?.items) ? answer.items : [answer];
}

function sameTls(a: Credentials, b: Credentials): boolean {
  return a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}

function headersOf(request: TransportRequest, credentials: Credentials, compressed: boolean): Record<string, string> {
  const headers: Record<string, string> = { accept: request.accept ?? 'application/json' };
  if (compressed) headers['accept-encoding'] = 'gzip';
  if (request.userAgent) headers['user-agent'] = request.userAgent;
  if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json';
  const { token, username, password = '' } = credentials;
  if (token) headers.authorization = `Bearer ${token}`;
  else if (username) headers.authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return headers;
}

function queryText(query: TransportRequest['query']): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? '' : `?${text}`;
}
