import {
  abortable,
  type Clock,
  checkNumber,
  checkOptions,
  linkedController,
  messageOf,
  milliseconds,
  optionNames,
  type Random,
  someMilliseconds,
  systemRandom,
  TimeoutError,
  withTimeout,
} from '@coxswain/runtime/core';
import { Connection, type ConnectionLimits } from './connection.ts';
import { CallError, type CallPlace, WireError } from './errors.ts';
import type { Correlated, Protocol } from './protocol.ts';
import type { ByteStream, Dial } from './stream.ts';
import { dialTcp } from './tcp.ts';

/** Options of {@link MorpcClient}. All times in milliseconds. */
export interface MorpcClientOptions {
  readonly clock: Clock;
  /** Spreads the times of new attempts. Default: the machine's. */
  readonly random?: Random;
  /** How connections are made. Default: TCP. */
  readonly dial?: Dial;
  /** A call's time, connecting included, when it names none. Default 10 s. */
  readonly timeout?: number;
  /** The time to make a connection. Default 2 s. */
  readonly connectTimeout?: number;
  /** After a failed attempt to connect, calls to that address fail at once for this time, twice as long after each further failure. Default 100 ms. */
  readonly backoff?: number;
  /** The longest of these times. Default 5 s. */
  readonly maxBackoff?: number;
  /** Bytes that an answer may have. Default 32 MiB; servers send up to 110 MiB. */
  readonly maxFrame?: number;
  /** Silence of a server that owes answers before it is pinged. Default 3 s. */
  readonly pingAfter?: number;
  /**
   * How long the answer to a ping may take. Servers that work on one request after the other, as the log service, answer it after those that came
   * before; so together with `pingAfter` this is the longest time a call can take. Default 7 s.
   */
  readonly pingTimeout?: number;
  /** A connection without calls is closed after this time. Default 60 s. */
  readonly idleTimeout?: number;
  /** Is told of each call when it is over: for metrics. */
  readonly onCall?: (call: FinishedCall) => void;
}

/** A call that is over. */
export interface FinishedCall {
  /** Name of the service's protocol. */
  readonly service: string;
  readonly address: string;
  readonly method: string;
  /** Of the whole call, connecting included. */
  readonly milliseconds: number;
  /** Whether there was an answer; it may say that something is wrong. */
  readonly answered: boolean;
}

/** How one call is made. */
export interface CallOptions {
  /** Milliseconds, connecting included; the server is told what is left of them. Default: the client's. */
  readonly timeout?: number;
  /** Stops waiting; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What is known of an address.
 * - `connecting`: all calls wait for the same attempt
 * - `open`: calls share the connection
 * - `failed`: the last attempt failed, and the next is not made before `until` (monotonic)
 */
type Link =
  | { readonly state: 'connecting'; readonly failures: number; readonly attempt: Promise<Connection> }
  | { readonly state: 'open'; readonly connection: Connection }
  | { readonly state: 'failed'; readonly failures: number; readonly until: number; readonly error: unknown };

const names = optionNames<MorpcClientOptions>({
  clock: true,
  random: true,
  dial: true,
  timeout: true,
  connectTimeout: true,
  backoff: true,
  maxBackoff: true,
  maxFrame: true,
  pingAfter: true,
  pingTimeout: true,
  idleTimeout: true,
  onCall: true,
});

const noPayload = new Uint8Array(0);

function settled(options: MorpcClientOptions): Required<MorpcClientOptions> {
  checkOptions('MorpcClient', options, names);
  for (const name of ['timeout', 'connectTimeout', 'pingAfter', 'pingTimeout', 'idleTimeout'] as const)
    checkNumber('MorpcClient', name, options[name], someMilliseconds);
  for (const name of ['backoff', 'maxBackoff'] as const) checkNumber('MorpcClient', name, options[name], milliseconds);
  checkNumber('MorpcClient', 'maxFrame', options.maxFrame, { above: 0, whole: true, unit: 'bytes' });
  return {
    clock: options.clock,
    random: options.random ?? systemRandom,
    dial: options.dial ?? dialTcp,
    timeout: options.timeout ?? 10_000,
    connectTimeout: options.connectTimeout ?? 2_000,
    backoff: options.backoff ?? 100,
    maxBackoff: options.maxBackoff ?? 5_000,
    maxFrame: options.maxFrame ?? 32 * 1024 * 1024,
    pingAfter: options.pingAfter ?? 3_000,
    pingTimeout: options.pingTimeout ?? 7_000,
    idleTimeout: options.idleTimeout ?? 60_000,
    onCall: options.onCall ?? (() => {}),
  };
}

/**
 * Calls MatrixOne's services. Has one connection to each address, made with the first call, shared by all, made anew after it was lost
 * (by the next call, not by itself), and closed when idle. A call is made at most once: whether it may be repeated is the caller's to know.
 */
export class MorpcClient {
  readonly #options: Required<MorpcClientOptions>;
  readonly #links = new Map<string, Link>();
  readonly #stopping = new AbortController();

  constructor(options: MorpcClientOptions) {
    this.#options = settled(options);
  }

  /** Addresses with a connection that is open, or being made. */
  get addresses(): readonly string[] {
    return [...this.#links].filter(([, link]) => link.state !== 'failed').map(([address]) => address);
  }

  /**
   * Sends a request and answers with what the server answered.
   * @param address `host:port`
   * @param method its name, for errors
   * @throws CallError when there is no answer; the signal's reason when that was aborted
   */
  async call<Request, Req, Response, Res>(
    protocol: Protocol<Request, Req, Response, Res>,
    address: string,
    method: string,
    request: Req,
    options: CallOptions = {},
  ): Promise<Response & Correlated> {
    const { clock, onCall } = this.#options;
    const start = clock.monotonic();
    let answered = false;
    try {
      const answer = await this.#call(protocol, address, method, request, options);
      answered = true;
      return answer;
    } finally {
      onCall({ service: protocol.name, address, method, milliseconds: clock.monotonic() - start, answered });
    }
  }

  async #call<Request, Req, Response, Res>(
    protocol: Protocol<Request, Req, Response, Res>,
    address: string,
    method: string,
    request: Req,
    { timeout = this.#options.timeout, signal }: CallOptions,
  ): Promise<Response & Correlated> {
    checkNumber(method, 'timeout', timeout, someMilliseconds);
    const place = { address, method };
    const { clock } = this.#options;
    const deadline = clock.monotonic() + timeout;
    let sent = false;
    const run = async (own: AbortSignal): Promise<Uint8Array> => {
      const connection = await abortable(this.#connection(place), own);
      const left = deadline - clock.monotonic();
      own.throwIfAborted();
      sent = true;
      const encode = (requestId: bigint) => {
        const wrong = protocol.wrong?.(request);
        if (wrong !== undefined) throw new WireError(`it would end the server: ${wrong}`);
        return protocol.request.encode({ ...request, requestId });
      };
      const payload = protocol.payload ? noPayload : undefined;
      return connection.request({ place, encode, payload, timeout: left }, own);
    };
    const body = await this.#within(place, timeout, () => sent, run, signal);
    try {
      return protocol.response.decode(body);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new CallError(place, 'malformed', `the answer cannot be read: ${error.message}`, true, { cause: error });
    }
  }

  /** Ends all connections. Calls that wait, and those still to come, fail. */
  close(): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort(new Error('the client was closed'));
    const links = [...this.#links.values()];
    this.#links.clear();
    for (const link of links) if (link.state === 'open') link.connection.end('closed', 'the client was closed');
  }

  async #within<T>(
    place: CallPlace,
    timeout: number,
    sent: () => boolean,
    run: (signal: AbortSignal) => Promise<T>,
    parent: AbortSignal | undefined,
  ): Promise<T> {
    const { controller, unlink } = linkedController(parent);
    const timer = this.#options.clock.after(timeout, () =>
      controller.abort(new CallError(place, 'timeout', `no answer within ${timeout / 1000}s`, sent())),
    );
    try {
      controller.signal.throwIfAborted();
      return await run(controller.signal);
    } finally {
      timer.cancel();
      unlink();
    }
  }

  /** The connection to an address, made when there is none. @throws CallError */
  async #connection(place: CallPlace): Promise<Connection> {
    this.#forgetOld();
    const link = this.#links.get(place.address);
    if (this.#stopping.signal.aborted) throw new CallError(place, 'closed', 'the client was closed', false);
    if (link?.state === 'open') return link.connection;
    if (link?.state === 'failed') {
      const left = link.until - this.#options.clock.monotonic();
      if (left > 0) {
        const why = `${messageOf(link.error)} (${link.failures} times; not tried again for ${Math.ceil(left)}ms)`;
        throw new CallError(place, 'unreachable', why, false, { cause: link.error });
      }
    }
    const attempt = link?.state === 'connecting' ? link.attempt : this.#connect(place.address, link?.failures ?? 0);
    try {
      return await attempt;
    } catch (error) {
      if (this.#stopping.signal.aborted) throw new CallError(place, 'closed', 'the client was closed', false);
      throw new CallError(place, 'unreachable', messageOf(error), false, { cause: error });
    }
  }

  #connect(address: string, failures: number): Promise<Connection> {
    const attempt = this.#dial(address, failures);
    // Whoever waited for it may have given up meanwhile.
    attempt.catch(() => {});
    this.#links.set(address, { state: 'connecting', failures, attempt });
    return attempt;
  }

  async #dial(address: string, failures: number): Promise<Connection> {
    const { clock, connectTimeout } = this.#options;
    const stopping = this.#stopping.signal;
    let stream: ByteStream | undefined;
    const dial = async (signal: AbortSignal) => {
      stream = await this.#options.dial(address, signal);
      // Nobody waits for it any more.
      if (signal.aborted) stream.close();
      return stream;
    };
    try {
      const made = await withTimeout(clock, connectTimeout, `connect to ${address}`, dial, stopping);
      const connection = new Connection(made, clock, this.#limits(), () => this.#forget(address));
      if (!connection.open) throw new Error('the connection ended as soon as it was made');
      this.#links.set(address, { state: 'open', connection });
      return connection;
    } catch (error) {
      stream?.close();
      if (!stopping.aborted) this.#failed(address, failures + 1, error);
      if (!(error instanceof TimeoutError)) throw error;
      throw new Error(`no connection within ${connectTimeout / 1000}s`, { cause: error });
    }
  }

  #failed(address: string, failures: number, error: unknown): void {
    const { clock, random, backoff, maxBackoff } = this.#options;
    const longest = Math.min(maxBackoff, backoff * 2 ** Math.min(failures - 1, 30));
    const until = clock.monotonic() + longest * (0.5 + random.next() / 2);
    this.#links.set(address, { state: 'failed', failures, until, error });
  }

  #forget(address: string): void {
    const link = this.#links.get(address);
    if (link?.state === 'open' && !link.connection.open) this.#links.delete(address);
  }

  /** Forgets addresses that failed and were left alone since, as those of nodes that are gone; there may be a new one for each. */
  #forgetOld(): void {
    const { clock, idleTimeout } = this.#options;
    const before = clock.monotonic() - idleTimeout;
    for (const [address, link] of this.#links)
      if (link.state === 'failed' && link.until <= before) this.#links.delete(address);
  }

  #limits(): ConnectionLimits {
    const { maxFrame, pingAfter, pingTimeout, idleTimeout } = this.#options;
    return { maxFrame, pingAfter, pingTimeout, idleTimeout };
  }
}
