import type { Status } from '@coxswain/k8s';
import type { ApiResponse } from '../apiserver/types.ts';
import { encodeBody } from './encode.ts';
import { isKnown } from './etag.ts';
import type { HttpReply, HttpRequest } from './http-message.ts';
import { mediaTypeOf, type OutputFormat } from './media-type.ts';

/** Answers above this size are compressed for clients that take it. */
const gzipThreshold = 128 * 1024;

const newline = Buffer.from('\n');

export interface ResponseStyle {
  readonly format: OutputFormat;
  readonly pretty: boolean;
}

/** Writes anything but a stream. */
export async function respond(
  request: HttpRequest,
  reply: HttpReply,
  answer: Extract<ApiResponse, { kind: 'object' | 'text' }>,
  style: ResponseStyle,
): Promise<void> {
  const headers: Record<string, string | string[]> = { ...answer.headers };
  if (isKnown(request.headers['if-none-match'], answer)) {
    reply.writeHead(304, headers);
    reply.body.end();
    return;
  }
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  // An answer with a type of its own (OpenAPI) is always JSON; one that only adds parameters (discovery) is written as asked.
  const parameters = parametersOf(headers['Content-Type']);
  const ownType = names.has('content-type') && parameters === undefined;
  let format = ownType ? 'json' : style.format;
  let bytes: Buffer = Buffer.from('');
  if (answer.kind === 'object') {
    const plain = format === 'json' && !style.pretty;
    const encoded =
      answer.json && plain ? { pieces: answer.json(), format } : await encodeBody(answer.body, format, style.pretty);
    ({ format } = encoded);
    // As Go's encoder of JSON leaves it; documents of OpenAPI are not written by it.
    const endsLine = format === 'json' && !style.pretty && !ownType;
    bytes = Buffer.concat(endsLine ? [...encoded.pieces, newline] : encoded.pieces);
    if (parameters !== undefined) headers['Content-Type'] = mediaTypeOf[format] + parameters;
    if (answer.warnings?.length) headers.Warning = answer.warnings.map(warningHeader);
    const seconds = answer.code < 400 ? undefined : retryAfter(answer.body);
    if (seconds !== undefined) headers['Retry-After'] = String(seconds);
  } else {
    bytes = Buffer.from(answer.body);
  }
  const isEmpty = answer.kind === 'text' && answer.body === '';
  if (!names.has('content-type') && !isEmpty)
    headers['Content-Type'] = answer.kind === 'text' ? 'text/plain; charset=utf-8' : mediaTypeOf[format];
  if (bytes.length > gzipThreshold && request.method === 'GET' && acceptsGzip(request)) {
    bytes = await gzip(bytes);
    headers['Content-Encoding'] = 'gzip';
    headers.Vary = 'Accept-Encoding';
  }
  headers['Content-Length'] = String(bytes.length);
  if (answer.kind === 'object') answer.onSent?.(bytes.length);
  if (reply.isGone) return;
  reply.writeHead(answer.code, headers);
  if (request.method === 'HEAD') reply.body.end();
  else reply.body.end(bytes);
}

/** `;g=…` of a type that names a form of objects beside the media type. */
function parametersOf(contentType: string | string[] | undefined): string | undefined {
  const semicolon = typeof contentType === 'string' ? contentType.indexOf(';g=') : -1;
  return semicolon < 0 ? undefined : String(contentType).slice(semicolon);
}

/** A failure as an answer. */
export function failure(status: Status): Extract<ApiResponse, { kind: 'object' }> {
  return { kind: 'object', code: status.code, body: status };
}

/** RFC 7234 §5.5, as Kubernetes uses it: code 299, no agent, quoted text on one line. */
function warningHeader(text: string): string {
  const line = text.replace(/[\r\n\t]+/g, ' ').replace(/["\\]/g, '\\$&');
  // Header values are Latin-1 to Node, and UTF-8 to clients.
  return `299 - "${Buffer.from(line, 'utf8').toString('latin1')}"`;
}

function retryAfter(body: unknown): number | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  return (body as Partial<Status>).details?.retryAfterSeconds || undefined;
}

export function acceptsGzip(request: HttpRequest): boolean {
  return /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(request.headers['accept-encoding'] ?? ''));
}

async function gzip(bytes: Buffer): Promise<Buffer> {
  const { gzip: compress } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    compress(bytes, { level: 1 }, (error, result) => (error ? reject(error) : resolve(result)));
  });
}
