import type { Kind, KubeObject } from '@coxswain/k8s';
import {
  ApiError,
  abortable,
  type Clock,
  checkOptions,
  linkedController,
  optionNames,
  type Random,
  systemClock,
  systemRandom,
  TimeoutError,
  withTimeout,
} from '../core/index.ts';
import { ConnectionError } from './errors.ts';
import { type Interceptor, interceptedTransport } from './interceptor.ts';
import { type Caller, KindResource } from './resource.ts';
import { retrying } from './retry.ts';
import type { Transport, TransportRequest, WatchEvent } from './transport.ts';
import type { CallOptions, Client, Resource } from './types.ts';

/** What `createClient` needs; only the transport is required. */
export interface ClientOptions {
  readonly transport: Transport;
  /** Name under which the server records what this client wrote; default: the server takes it from the user agent. */
  readonly fieldManager?: string;
  /** Default `coxswain`. */
  readonly userAgent?: string;
  /** Timeouts and waits run on it; default the machine's. */
  readonly clock?: Clock;
  /** Spreads retries; default the machine's. */
  readonly random?: Random;
  /** Stand around every try of every call, watches too; the first is the outermost. */
  readonly interceptors?: readonly Interceptor[];
  /** Called with each warning of the server (deprecated versions, unknown fields …) and what was asked. */
  readonly onWarning?: (text: string, request: TransportRequest) => void;
}

const known = optionNames<ClientOptions>({
  transport: true,
  fieldManager: true,
  userAgent: true,
  clock: true,
  random: true,
  interceptors: true,
  onWarning: true,
});

/** Milliseconds a call may take, retries included, when its options say nothing. */
export const defaultTimeout = 30_000;

/**
 * A {@link Client} over any transport. The transport is the caller's to close.
 * @throws TypeError for an option that nobody reads, and without a transport
 */
export function createClient(options: ClientOptions): Client {
  checkOptions('createClient', options, known);
  if (typeof options?.transport?.send !== 'function') {
    throw new TypeError(
      'createClient: `transport` is what reaches the server: httpTransport(connection), or that of a test cluster',
    );
  }
  const { clock = systemClock, random = systemRandom, userAgent = 'coxswain' } = options;
  const transport = interceptedTransport(options.transport, options.interceptors ?? []);

  async function send(request: TransportRequest): Promise<unknown> {
    request.gate?.();
    const response = await transport.send({ userAgent, ...request });
    for (const text of response.warnings) options.onWarning?.(text, request);
    return response.body;
  }

  async function call(what: string, request: TransportRequest, callOptions: CallOptions = {}): Promise<unknown> {
    const idempotent = request.method === 'GET';
    const timeout = callOptions.timeout ?? defaultTimeout;
    const deadline = clock.monotonic() + timeout;
    const gated = callOptions.gate ? { ...request, gate: callOptions.gate } : request;
    const run = (signal: AbortSignal) =>
      retrying((attempt) => send({ ...gated, signal, ...(attempt > 0 ? { attempt } : {}) }), {
        clock,
        random,
        idempotent,
        deadline,
        signal,
      });
    const ended = callOptions.began?.(what);
    try {
      return await withTimeout(clock, timeout, what, run, callOptions.signal);
    } catch (error) {
      // Where the call was made tells more than where its answer was read. Reasons of a signal are not ours to change.
      if (error instanceof ApiError || error instanceof ConnectionError) Error.captureStackTrace(error, call);
      throw error;
    } finally {
      ended?.();
    }
  }

  /** The timeout is for the opening only; the stream itself lives as long as the server and the signal let it. */
  async function open(
    streaming: Transport['watch'],
    what: string,
    request: TransportRequest,
    callOptions: CallOptions,
  ): Promise<AsyncIterable<readonly WatchEvent[]>> {
    const limit = callOptions.timeout ?? defaultTimeout;
    const { controller, unlink } = linkedController(callOptions.signal);
    const timer = clock.after(limit, () =>
      controller.abort(new TimeoutError(`${what}: no answer within ${limit / 1000}s`)),
    );
    try {
      const { signal } = controller;
      signal.throwIfAborted();
      const stream = await abortable(streaming({ userAgent, ...request, signal }), signal);
      return unlinkedAtEnd(stream, unlink);
    } catch (error) {
      unlink();
      throw error;
    } finally {
      timer.cancel();
    }
  }

  const watch = (request: TransportRequest) => transport.watch(request);
  const { list } = transport;
  const caller: Caller = {
    fieldManager: options.fieldManager,
    call,
    watch: (what, request, callOptions) => open(watch, what, request, callOptions),
    ...(list ? { list: (what, request, callOptions) => open(list, what, request, callOptions) } : {}),
  };
  return {
    transport,
    of: <T extends KubeObject>(kind: Kind<T>): Resource<T, KubeObject> => new KindResource(kind, caller),
    raw: (request) =>
      call(`${request.method} ${request.path}`, request, request.signal ? { signal: request.signal } : {}),
  };
}

/** Events that are handed on at a time, at most. */
const part = 500;

async function* unlinkedAtEnd(
  stream: AsyncIterable<readonly WatchEvent[]>,
  unlink: () => void,
): AsyncIterable<readonly WatchEvent[]> {
  try {
    for await (const events of stream) yield* inParts(events);
  } finally {
    unlink();
  }
}

/** A list that was at hand whole, as in process it is, comes in parts: whoever takes it in leaves room for everything else between them. */
function* inParts(events: readonly WatchEvent[]): Iterable<readonly WatchEvent[]> {
  if (events.length <= part) yield events;
  else for (let at = 0; at < events.length; at += part) yield events.slice(at, at + part);
}
