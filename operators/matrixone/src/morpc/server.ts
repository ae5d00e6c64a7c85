import { type Clock, checkOptions, optionNames } from '@coxswain/runtime/core';
import { WireError } from './errors.ts';
import { decodeRequestFrame, encodeAnswerFrame, maxFrameSize, type OutgoingFrame } from './frame.ts';
import { FrameBuffer } from './frame-buffer.ts';
import type { Correlated, Protocol } from './protocol.ts';
import type { ByteStream } from './stream.ts';

/** What a server knows of a request besides its message. */
export interface RequestContext {
  /** Milliseconds the client still waits. */
  readonly timeout: number;
  /** Aborted when the client's time is up, or its connection has ended. */
  readonly signal: AbortSignal;
}

/** Options of {@link MorpcServer}. */
export interface MorpcServerOptions<Request, Req, Response, Res> {
  readonly clock: Clock;
  readonly protocol: Protocol<Request, Req, Response, Res>;
  /**
   * Answers a request, in any order; `undefined`: never. The id is put in by the server.
   * A rejection closes the connection, as services do that cannot make sense of a request.
   */
  handle(request: Request & Correlated, context: RequestContext): Promise<Res | undefined> | Res | undefined;
  /** Told why a connection was closed from this side: bytes that are no request, or a handler that failed. */
  readonly onRefused?: (error: unknown) => void;
  /** Bytes that a request may have. Default 110 MiB, as servers take. */
  readonly maxFrame?: number;
}

const names = optionNames<MorpcServerOptions<unknown, unknown, unknown, unknown>>({
  clock: true,
  protocol: true,
  handle: true,
  onRefused: true,
  maxFrame: true,
});

const noPayload = new Uint8Array(0);
/** What answers say of the time that is left; clients do not read it. */
const answerTimeout = 10_000_000_000n;

/**
 * The other side of {@link MorpcClient}: one service on any number of connections. Stricter than real servers: what would end their
 * process, or is no request, closes the connection and is told to `onRefused`.
 */
export class MorpcServer<Request, Req, Response, Res> {
  readonly #options: MorpcServerOptions<Request, Req, Response, Res>;
  readonly #streams = new Map<ByteStream, AbortController>();

  constructor(options: MorpcServerOptions<Request, Req, Response, Res>) {
    checkOptions('MorpcServer', options, names);
    this.#options = options;
  }

  /** Serves a connection until either side ends it. */
  accept(stream: ByteStream): void {
    const buffer = new FrameBuffer(this.#options.maxFrame ?? maxFrameSize);
    const ended = new AbortController();
    this.#streams.set(stream, ended);
    stream.read({
      data: (bytes) => {
        try {
          for (const frame of buffer.push(bytes)) {
            if (ended.signal.aborted) return;
            this.#take(stream, decodeRequestFrame(frame), ended.signal);
          }
        } catch (error) {
          this.#refuse(stream, error);
        }
      },
      ended: () => this.#end(stream),
    });
  }

  /** Ends all connections; their handlers' signals are aborted. */
  close(): void {
    for (const stream of [...this.#streams.keys()]) {
      stream.close();
      this.#end(stream);
    }
  }

  #take(stream: ByteStream, frame: OutgoingFrame, ended: AbortSignal): void {
    if (frame.kind === 'ping') {
      stream.write(encodeAnswerFrame({ kind: 'pong', body: frame.body, payload: undefined, timeout: frame.timeout }));
    }
    if (frame.kind !== 'message') return;
    const { protocol } = this.#options;
    if (frame.payload && !protocol.payload) throw new WireError(`morpc: the ${protocol.name} takes no payload`);
    const request = protocol.request.decode(frame.body);
    const wrong = protocol.wrong?.(request);
    if (wrong !== undefined) throw new WireError(`the ${protocol.name} was asked what would end a real one: ${wrong}`);
    this.#answer(stream, request, Number(frame.timeout) / 1e6, ended).catch((error) => this.#refuse(stream, error));
  }

  async #answer(stream: ByteStream, request: Request & Correlated, timeout: number, ended: AbortSignal): Promise<void> {
    const { clock, protocol, handle } = this.#options;
    const late = new AbortController();
    const onEnded = () => late.abort(ended.reason);
    ended.addEventListener('abort', onEnded, { once: true });
    const timer = clock.after(timeout, () => late.abort(new Error(`the client waited ${timeout / 1000}s`)));
    try {
      const answer = await handle(request, { timeout, signal: late.signal });
      if (answer === undefined || ended.aborted) return;
      const body = protocol.response.encode({ ...answer, requestId: request.requestId });
      const payload = protocol.payload ? noPayload : undefined;
      stream.write(encodeAnswerFrame({ kind: 'message', body, payload, timeout: answerTimeout }));
    } finally {
      timer.cancel();
      ended.removeEventListener('abort', onEnded);
    }
  }

  #refuse(stream: ByteStream, error: unknown): void {
    if (!this.#streams.has(stream)) return;
    stream.close();
    this.#end(stream);
    this.#options.onRefused?.(error);
  }

  #end(stream: ByteStream): void {
    this.#streams.get(stream)?.abort(new Error('the connection ended'));
    this.#streams.delete(stream);
  }
}
