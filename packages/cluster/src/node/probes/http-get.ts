import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { http, tls } from '../../late-modules.ts';
import { type GetRequest, requestPath, urlOf } from './http-request.ts';
import { hostPort, type ProbeTarget } from './target.ts';

export interface GetResponse {
  readonly status: number;
  /** Of its beginning, as much as is kept. */
  readonly body: string;
}

/** Bytes of a body that are read. */
const bodyLimit = 10_240;
const redirectLimit = 10;
const redirects = new Set([301, 302, 303, 307, 308]);

/** What went wrong, in the words of Go's client. */
function words(error: NodeJS.ErrnoException & { readonly reason?: string }): string {
  const { code = '', message } = error;
  if (code === 'ECONNRESET' && message === 'socket hang up') return 'EOF';
  if (code === 'ECONNRESET') return 'read: connection reset by peer';
  if (code === 'EPIPE') return 'write: broken pipe';
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return 'http: server gave HTTP response to HTTPS client';
  if (code.startsWith('HPE_')) return 'net/http: HTTP/1.x transport connection broken: malformed HTTP response';
  return message;
}

const timedOut = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

/** Anyone's certificate will do: the kubelet has no authority to check it with. */
function encrypted(connection: Duplex, host: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
    const socket = tls().connect({ socket: connection, rejectUnauthorized: false, ...servername });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('EOF')));
  });
}

function ask(request: GetRequest, connection: Duplex, signal: AbortSignal): Promise<IncomingMessage> {
  const { host, port, path, scheme } = request;
  const standard = scheme === 'https' ? 443 : 80;
  const headers = Object.fromEntries([...request.headers].map(([name, values]) => [name, [...values]]));
  const named = Object.keys(headers).find((name) => name.toLowerCase() === 'host');
  if (!named) headers['Host'] = [port === standard ? host : hostPort(host, port)];
  else headers[named] = headers[named]?.slice(0, 1) ?? [];
  return new Promise((resolve, reject) => {
    const outgoing = http().request({
      path,
      headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, v.length === 1 ? v.join() : v])),
      createConnection: () => connection,
      signal,
    });
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    outgoing.end();
  });
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, bodyLimit - size));
    size += part.length;
    if (size >= bodyLimit) break;
  }
  return Buffer.concat(parts).toString();
}

/** Where an answer sends the client to; `undefined`: nowhere, or to another host, where it does not go. */
function redirected(request: GetRequest, { statusCode = 0, headers }: IncomingMessage): GetRequest | undefined {
  if (!redirects.has(statusCode) || !headers.location) return undefined;
  const from = urlOf(request);
  if (!URL.canParse(headers.location, from)) return undefined;
  const { protocol, hostname, port, pathname, search } = new URL(headers.location, from);
  if (hostname !== new URL(from).hostname || (protocol !== 'http:' && protocol !== 'https:')) return undefined;
  const scheme = protocol === 'https:' ? 'https' : 'http';
  const absolute = /^[a-z]+:\/\//i.test(headers.location);
  const own = [...request.headers].filter(([name]) => !absolute || name.toLowerCase() !== 'host');
  const number = port === '' ? (scheme === 'https' ? 443 : 80) : Number(port);
  return { scheme, host: request.host, port: number, path: requestPath(pathname + search), headers: new Map(own) };
}

async function getOnce(
  request: GetRequest,
  { dial }: ProbeTarget,
  signal: AbortSignal,
): Promise<GetResponse | GetRequest> {
  const connection = await dial(request.host, request.port, signal);
  const leave = () => connection.destroy();
  signal.addEventListener('abort', leave, { once: true });
  try {
    const stream = request.scheme === 'https' ? await encrypted(connection, request.host) : connection;
    const response = await ask(request, stream, signal);
    return redirected(request, response) ?? { status: response.statusCode ?? 0, body: await bodyOf(response) };
  } finally {
    signal.removeEventListener('abort', leave);
    connection.destroy();
  }
}

/**
 * Asks, and follows where the answer leads on the same host. One connection a request.
 * @throws Error in the words of Go's client
 */
export async function httpGet(request: GetRequest, target: ProbeTarget, signal: AbortSignal): Promise<GetResponse> {
  let next = request;
  try {
    for (let hops = 0; hops < redirectLimit; hops++) {
      const answer = await getOnce(next, target, signal);
      if ('status' in answer) return answer;
      next = answer;
    }
  } catch (error) {
    const why = signal.aborted ? timedOut : words(error instanceof Error ? error : new Error(String(error)));
    throw new Error(`Get ${JSON.stringify(urlOf(next))}: ${why}`, { cause: error });
  }
  throw new Error(`Get ${JSON.stringify(next.path)}: stopped after ${redirectLimit} redirects`);
}
