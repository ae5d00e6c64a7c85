/** Bytes that are no frame or no message, or values that no frame or message can carry. The only error of the codec. */
export class WireError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WireError';
  }
}

/**
 * Why a call has no answer.
 * - `unreachable`: no connection could be made, so nothing was sent
 * - `timeout`: the time of the call was up
 * - `lost`: the connection ended while the answer was waited for
 * - `malformed`: what came, or what was to be sent, cannot be read
 * - `closed`: the client has been closed
 */
export type CallFailure = 'unreachable' | 'timeout' | 'lost' | 'malformed' | 'closed';

/** A call that got no answer that can be used: names whom it was made to, and what was asked. */
export class CallError extends Error {
  readonly failure: CallFailure;
  /** `host:port` of the server. */
  readonly address: string;
  /** Name of the method, as in `GET_CLUSTER_DETAILS`. */
  readonly method: string;
  /** Whether the server may have done what was asked. */
  readonly sent: boolean;

  constructor(at: CallPlace, failure: CallFailure, why: string, sent: boolean, options?: ErrorOptions) {
    super(`${at.method} at ${at.address}: ${why}`, options);
    this.name = 'CallError';
    this.failure = failure;
    this.address = at.address;
    this.method = at.method;
    this.sent = sent;
  }
}

/** Whom a call is made to, and its name. */
export interface CallPlace {
  readonly address: string;
  readonly method: string;
}
