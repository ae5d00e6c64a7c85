import type { IncomingMessage } from 'node:http';
import { parseJson } from '../client/index.ts';
import { apiError, badRequest } from '../core/index.ts';

/** The JSON body of a request. @throws ApiError 415, 413 or 400 when it is of another type, too large, or no JSON */
export async function readJsonBody(request: IncomingMessage, limit: number, signal: AbortSignal): Promise<unknown> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json') {
    throw apiError(
      415,
      'UnsupportedMediaType',
      `the content type must be application/json, not ${JSON.stringify(type)}`,
    );
  }
  const text = await readText(request, limit, signal);
  if (text === '') throw badRequest('the request has no body');
  try {
    return parseJson(text);
  } catch {
    // the parser's own message quotes the text, which may hold secrets
    throw badRequest('the body is not valid JSON');
  }
}

function readText(request: IncomingMessage, limit: number, signal: AbortSignal): Promise<string> {
  const tooLarge = () => apiError(413, 'RequestEntityTooLarge', `the body is larger than the limit of ${limit} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: unknown) => {
      request.removeAllListeners('data');
      chunks.length = 0;
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return fail(tooLarge());
      chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', fail);
    signal.addEventListener('abort', () => fail(signal.reason), { once: true });
  });
}
