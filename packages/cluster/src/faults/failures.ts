import { ConnectionError } from '@coxswain/runtime/client';
import { type ApiError, apiError } from '@coxswain/runtime/core';
import type { RequestFacts } from './match.ts';
import type { FaultAction } from './types.ts';

type Code = Extract<FaultAction, { status: unknown }>['status'];

function qualified({ resource = '', group = '' }: RequestFacts): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Reason and text are those that a server gives with this code, so that clients take it for what it stands for. */
const texts: Readonly<Record<Code, readonly [reason: string, text: (facts: RequestFacts) => string]>> = {
  409: [
    'Conflict',
    (facts) =>
      `Operation cannot be fulfilled on ${qualified(facts)} "${facts.name ?? ''}": the object has been modified; please apply your changes to the latest version and try again`,
  ],
  410: ['Expired', () => 'The resourceVersion for the provided list or watch is too old.'],
  429: ['TooManyRequests', () => 'Too many requests, please try again later.'],
  500: ['InternalError', () => 'Internal error occurred: injected fault'],
  503: ['ServiceUnavailable', () => 'the server is currently unable to handle the request'],
  504: ['Timeout', () => 'Timeout: request did not complete within the allotted timeout'],
};

export function statusFailure(action: Extract<FaultAction, { status: unknown }>, facts: RequestFacts): ApiError {
  const [reason, text] = texts[action.status];
  const retryAfter = action.retryAfter ?? (action.status === 429 ? 1 : undefined);
  const details = retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter };
  return apiError(action.status, reason, text(facts), details);
}

/** What a client sees of a connection that breaks; the HTTP layer breaks its own for it. */
export function brokenConnection(when: 'before the request was handled' | 'before the answer was sent'): Error {
  return new ConnectionError(`the connection was reset ${when} (injected fault)`);
}
