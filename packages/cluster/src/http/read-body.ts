import type { Readable } from 'node:stream';
import { tooLarge } from './status.ts';

/** The same limit as the real server's. */
export const bodyLimit = 3 * 1024 * 1024;

/**
 * The whole body. What comes after the limit is read and dropped, so that the client gets to see the answer.
 * @throws ApiError 413, or Error when the client leaves in the middle
 */
export function readBody(request: Readable, limit = bodyLimit): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(limit));
      }
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => {
      if (!request.readableEnded) reject(new Error('the client closed the connection'));
    });
  });
}
