import { TimeoutError } from '@coxswain/runtime/core';
import { CallError, type CallPlace } from '../morpc/index.ts';

/** Codes of MatrixOne's errors that matter here. */
export const errorCode = {
  internal: 20101,
  notSupported: 20105,
  noHaKeeper: 20417,
  timeout: 20429,
  rejected: 20432,
  shardNotReady: 20434,
  closed: 20435,
  invalidRange: 20436,
  shardNotFound: 20437,
} as const;

/** Errors of one replica: another may answer, or this one a little later. */
const passing: readonly number[] = [
  errorCode.noHaKeeper,
  errorCode.timeout,
  errorCode.shardNotReady,
  errorCode.closed,
  errorCode.shardNotFound,
];

const nameOf = (code: number) => Object.entries(errorCode).find(([, known]) => known === code)?.[0];

/** A server's answer that says it did not do what it was asked. */
export class MatrixOneError extends Error {
  /** Its number, as in `20417`; see {@link errorCode}. */
  readonly code: number;
  readonly address: string;
  readonly method: string;
  /** What the server said; empty for many errors of the log's replicas. */
  readonly said: string;

  constructor(at: CallPlace, code: number, said: string) {
    const name = nameOf(code);
    super(`${at.method} at ${at.address}: error ${code}${name ? ` (${name})` : ''}${said ? `: ${said}` : ''}`);
    this.name = 'MatrixOneError';
    this.code = code;
    this.address = at.address;
    this.method = at.method;
    this.said = said;
  }
}

/** No address led to a log store that runs HAKeeper. `tried` has, for each address, why not. */
export class NoHaKeeperError extends Error {
  readonly tried: ReadonlyMap<string, string>;

  constructor(tried: ReadonlyMap<string, string>) {
    super(`no HAKeeper was found: ${[...tried.values()].join('; ') || 'there is no address to ask'}`);
    this.name = 'NoHaKeeperError';
    this.tried = tried;
  }
}

/** HAKeeper does not know the compute node: it never reported itself, or was removed. To whoever drains it, it is gone. */
export function isUnknownStore(error: unknown): boolean {
  return error instanceof MatrixOneError && error.code === errorCode.internal && error.said.includes('does not exist');
}

/** Whether another address, or the same one later, may answer what this one did not. */
export function isPassing(error: unknown): boolean {
  if (error instanceof MatrixOneError) return passing.includes(error.code);
  if (error instanceof CallError) return error.failure !== 'closed' && error.failure !== 'malformed';
  return error instanceof NoHaKeeperError || error instanceof TimeoutError;
}
