import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApiResponse } from '../apiserver/types.ts';

/** Sends bytes as they come, as fast as the client takes them. A source that fails, or a client that leaves, ends both. */
export async function sendBytes(
  response: ServerResponse,
  { code, headers, body }: Extract<ApiResponse, { kind: 'bytes' }>,
  gone: AbortSignal,
): Promise<void> {
  response.writeHead(code, { ...headers } as OutgoingHttpHeaders);
  response.flushHeaders();
  try {
    await pipeline(Readable.from(body, { objectMode: false }), response, { signal: gone });
  } catch {
    response.destroy();
  }
}
