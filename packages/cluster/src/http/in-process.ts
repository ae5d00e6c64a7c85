import type { Status } from '@coxswain/k8s';
import {
  responseError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WatchEvent,
} from '@coxswain/runtime/client';
import { ApiError, type Clock } from '@coxswain/runtime/core';
import type { ApiResponse, UserInfo, WatchStream } from '../apiserver/types.ts';
import { authenticated } from './authenticated.ts';
import type { ApiHandler } from './handler.ts';

const noTurns: Pick<Clock, 'turn'> = { turn: () => undefined };

/**
 * A transport straight into the embedded server: no sockets, no serialisation. Bodies go to the handler as they are and answers are
 * its own frozen objects. Only promises are used, so it runs in virtual time.
 * @param clock lets others have their turn between requests: clients on the wire wait while controllers ask one thing after the other
 * @param as who asks; like everyone who is known, a member of `system:authenticated` too
 */
export function inProcessTransport(handler: ApiHandler, as: UserInfo, clock: Pick<Clock, 'turn'> = noTurns): Transport {
  const user = authenticated(as);
  const open = new Set<EventQueue>();
  const ask = async (request: TransportRequest): Promise<ApiResponse> => {
    const turn = clock.turn();
    if (turn) await turn;
    request.signal?.throwIfAborted();
    const answer = handler({ ...request, user });
    const response = await (request.signal ? orAborted(answer, request.signal) : answer);
    if (response.kind === 'object' && response.code >= 400) throw new ApiError(response.body as Status);
    if (response.kind === 'text' && response.code >= 400)
      throw responseError(response.code, response.body, undefined, 0);
    return response;
  };
  return {
    async send(request): Promise<TransportResponse> {
      const response = await ask(request);
      if (response.kind === 'watch') {
        response.stream.cancel();
        throw new Error(`${request.method} ${request.path} answered a stream; ask with watch()`);
      }
      if (response.kind === 'upgrade') {
        throw new Error(`${request.method} ${request.path} answered an upgraded connection, which needs a wire`);
      }
      if (response.kind === 'bytes') {
        const body = await textOf(response.body);
        if (response.code >= 400) throw responseError(response.code, body, undefined, 0);
        return { status: response.code, body, warnings: [] };
      }
      const warnings = response.kind === 'object' ? (response.warnings ?? []) : [];
      return { status: response.code, body: response.body, warnings };
    },
    async watch(request) {
      const response = await ask(request);
      if (response.kind !== 'watch') throw new Error(`${request.method} ${request.path} answered no stream`);
      const queue = new EventQueue(response.stream, request.signal, () => open.delete(queue));
      open.add(queue);
      queue.start();
      return queue;
    },
    async close() {
      for (const queue of open) queue.stop();
    },
  };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The answer, or the signal's reason when that comes first. A stream that comes too late is cancelled. */
function orAborted(answer: Promise<ApiResponse>, signal: AbortSignal): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const settled = () => signal.removeEventListener('abort', onAbort);
    answer.then(
      (response) => {
        settled();
        if (signal.aborted && response.kind === 'watch') response.stream.cancel();
        resolve(response);
      },
      (error: unknown) => {
        settled();
        reject(error);
      },
    );
  });
}

/** A watch stream as an iteration over batches. Ends when the stream ends, the reader leaves, or the signal is aborted. */
class EventQueue implements AsyncIterableIterator<readonly WatchEvent[]> {
  readonly #stream: WatchStream;
  readonly #signal: AbortSignal | undefined;
  readonly #onDone: () => void;
  #events: WatchEvent[] = [];
  #ended = false;
  #wake: (() => void) | undefined;
  readonly #onAbort = (): void => this.stop();

  constructor(stream: WatchStream, signal: AbortSignal | undefined, onDone: () => void) {
    this.#stream = stream;
    this.#signal = signal;
    this.#onDone = onDone;
  }

  start(): void {
    this.#signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#stream.start(
      (events) => {
        if (this.#ended) return;
        // Texts are for wires.
        for (const event of events)
          this.#events.push((event.json ? { type: event.type, object: event.object } : event) as WatchEvent);
        this.#wake?.();
      },
      () => this.#finish(),
    );
    if (this.#signal?.aborted) this.stop();
  }

  /** Ends at once; what was not read yet is dropped. */
  stop(): void {
    if (this.#ended) return;
    this.#events = [];
    this.#finish();
    this.#stream.cancel();
  }

  async next(): Promise<IteratorResult<readonly WatchEvent[]>> {
    while (this.#events.length === 0) {
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#events;
    this.#events = [];
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<readonly WatchEvent[]>> {
    this.stop();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#onDone();
    this.#wake?.();
  }
}
