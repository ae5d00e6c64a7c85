import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse } from '../apiserver/types.ts';
import type { HttpReply, HttpRequest } from './http-message.ts';

/** Sends bytes as they come, as fast as the client takes them. A source that fails, or a client that leaves, ends both. */
export async function sendBytes(
  request: HttpRequest,
  reply: HttpReply,
  { code, headers, body }: Extract<ApiResponse, { kind: 'bytes' }>,
  gone: AbortSignal,
): Promise<void> {
  reply.writeHead(code, { ...headers } as OutgoingHttpHeaders);
  reply.flushHead();
  if (request.method === 'HEAD') {
    reply.body.end();
    await body[Symbol.asyncIterator]().return?.();
    return;
  }
  try {
    await pipeline(Readable.from(body, { objectMode: false }), reply.body, { signal: gone });
  } catch {
    reply.body.destroy();
  }
}
