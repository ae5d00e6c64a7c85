import { type Message, Reader, wire } from './protobuf/index.ts';

/** What every request and answer has: the id that says which answer belongs to which request, as field 1. */
export interface Correlated {
  readonly requestId: bigint;
}

/** One of MatrixOne's services, as both sides have to know it. */
export interface Protocol<Request, Req, Response, Res> {
  /** As in `log service`; for errors. */
  readonly name: string;
  readonly request: Message<Request & Correlated, Req & Partial<Correlated>>;
  readonly response: Message<Response & Correlated, Res & Partial<Correlated>>;
  /** Why servers must not be sent such a request, as it would end their process; `undefined` for one that they take. */
  readonly wrong?: (request: Request | Req) => string | undefined;
  /** Whether frames have a payload beside the message. Services that expect none close the connection on one. */
  readonly payload: boolean;
}

/**
 * The id of a request or answer, without reading the rest of it. 0, which no request has, when there is none: servers answer so to
 * requests that they skip because their time is up.
 * @throws WireError when the bytes are no message
 */
export function requestIdOf(body: Uint8Array): bigint {
  const reader = new Reader(body);
  while (!reader.done) {
    const tag = reader.tag();
    if (tag === 8 + wire.varint) return reader.uint64();
    reader.skip(tag);
  }
  return 0n;
}
