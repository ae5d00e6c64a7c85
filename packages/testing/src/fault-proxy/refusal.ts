import type { ServerResponse } from 'node:http';
import type { NetworkFault } from './types.ts';

type Answer = Extract<NetworkFault, { fault: 'answer' }>;

const reasons: Readonly<Record<Answer['status'], string>> = {
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** Answers as an API server does that will not. */
export function refuse(response: ServerResponse, { status, retryAfter, inStream = false }: Answer): void {
  const details = retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } };
  const message = 'the fault proxy answers instead of the server';
  const reason = reasons[status];
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...details,
    reason,
    code: status,
  };
  if (inStream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify({ type: 'ERROR', object: body })}\n`);
    return;
  }
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  });
  response.end(JSON.stringify(body));
}
