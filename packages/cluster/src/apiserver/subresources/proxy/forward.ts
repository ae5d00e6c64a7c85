import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { apiError, type Clock, withTimeout } from '@coxswain/runtime/core';
import type { ApiResponse, RawRequest } from '../../types.ts';
import type { Backend } from './backend.ts';
import { type Headers, requestHeaders, responseHeaders } from './headers.ts';
import { type Place, rewrittenLink } from './locations.ts';

/** Codings of pages whose links can be rewritten. */
const readable = new Set(['', 'gzip', 'deflate']);
/** Milliseconds for which a connection is waited for. */
const dialLimit = 30_000;

export interface Forwarding {
  readonly backend: Backend;
  readonly raw: RawRequest;
  /** Path and query for the server. */
  readonly target: string;
  /** The path as the client knows it. */
  readonly uri: string | undefined;
  readonly place: Place;
  readonly upgrade: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What broke, in the words of Go where Node has others. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET') return 'EOF';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return 'tls: first record does not look like a TLS handshake';
  }
  return error.message.trim();
}

function unreachable(error: unknown) {
  return apiError(503, 'ServiceUnavailable', `error trying to reach service: ${textOf(error)}`);
}

async function connect({ backend, clock, signal }: Forwarding): Promise<Duplex> {
  const what = `dial tcp ${backend.host}`;
  const connection = await withTimeout(clock, dialLimit, what, (limited) => backend.connect(limited), signal);
  if (backend.scheme === 'http') return connection;
  const { connect: overTls } = await import('node:tls');
  // As the real server does: who is behind an address of a pod has no name to be checked.
  const secure = overTls({ socket: connection, rejectUnauthorized: false });
  return new Promise((resolve, reject) => {
    secure.once('secureConnect', () => resolve(secure));
    secure.once('error', reject);
  });
}

/** Sends the body along. One that comes without its length is sent in pieces. */
function sendBody({ raw }: Forwarding, outgoing: ClientRequest, headers: Headers): void {
  const length = headers['content-length'];
  const pieces = raw.headers['transfer-encoding'] !== undefined || ['POST', 'PUT', 'PATCH'].includes(raw.method);
  if (length === undefined && !pieces) return void outgoing.end();
  raw.body.once('error', (error) => outgoing.destroy(error));
  raw.body.pipe(outgoing);
}

async function answerOf(incoming: IncomingMessage, { place, raw }: Forwarding): Promise<ApiResponse> {
  const headers = responseHeaders(incoming.headers);
  const code = incoming.statusCode ?? 502;
  const rewrite = (link: string) => rewrittenLink(link, place);
  if (typeof headers.location === 'string') {
    headers.location = rewrite(headers.location);
    return { kind: 'bytes', code, headers, body: incoming };
  }
  const type = String(headers['content-type'] ?? '')
    .split(';')[0]
    ?.trim();
  const coding = String(headers['content-encoding'] ?? '');
  if (type !== 'text/html' || !readable.has(coding) || raw.method === 'HEAD') {
    return { kind: 'bytes', code, headers, body: incoming };
  }
  const { htmlBody } = await import('./html-body.ts');
  delete headers['content-length'];
  return { kind: 'bytes', code, headers, body: htmlBody(incoming, coding, rewrite) };
}

/** An upgrade that the server took: what follows is between it and the client. */
function tunnel(incoming: IncomingMessage, connection: Duplex, head: Buffer): ApiResponse {
  if (head.length > 0) connection.unshift(head);
  const headers: Record<string, string | string[]> = {};
  for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = incoming.rawHeaders.slice(i, i + 2);
    headers[name] = name in headers ? [headers[name] ?? '', value].flat() : value;
  }
  return { kind: 'upgrade', code: 101, body: { kind: 'tunnel', headers, connection } };
}

async function exchange(forwarding: Forwarding, connection: Duplex): Promise<ApiResponse> {
  const { raw, target, uri, upgrade, signal } = forwarding;
  const { request } = await import('node:http');
  const headers = requestHeaders(raw, uri);
  const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
  const switching = upgrade
    ? { connection: 'Upgrade', upgrade: String(raw.headers.upgrade ?? '') }
    : { connection: 'close' };
  const outgoing = request({
    createConnection: () => connection,
    method: raw.method,
    path: target,
    headers: { ...headers, ...switching },
    setHost: false,
    signal,
  });
  outgoing.once('response', (incoming) => {
    const { statusCode = 0 } = incoming;
    if (!upgrade || statusCode >= 400) return resolve(answerOf(incoming, forwarding));
    outgoing.destroy();
    reject(apiError(500, '', `invalid upgrade response: status code ${statusCode}`));
  });
  outgoing.once('upgrade', (incoming, socket, head) => resolve(tunnel(incoming, socket, head)));
  outgoing.on('error', (error) => reject(unreachable(error)));
  if (upgrade) outgoing.end();
  else sendBody(forwarding, outgoing, headers);
  return promise;
}

/** Asks the server behind a proxy, and answers what it answers. @throws ApiError 503 when it cannot be reached */
export async function forward(forwarding: Forwarding): Promise<ApiResponse> {
  let connection: Duplex;
  try {
    connection = await connect(forwarding);
  } catch (error) {
    if (forwarding.upgrade) throw apiError(500, '', `error dialing backend: ${textOf(error)}`);
    throw unreachable(error);
  }
  return exchange(forwarding, connection);
}
