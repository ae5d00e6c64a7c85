import type { Duplex } from 'node:stream';
import { ConnectionError } from '@coxswain/runtime/client';
import { badRequest, type Clock, type Logger, type Random, systemRandom } from '@coxswain/runtime/core';
import { type InFlightLimit, requestKindOf } from '../apiserver/operations/index.ts';
import type { ApiRequest, ApiResponse, UserInfo } from '../apiserver/types.ts';
import { auditId } from './audit-id.ts';
import { authenticate, type TokenAuthenticator } from './authenticate.ts';
import { leadsOut } from './connect-path.ts';
import { limitOf, withDeadline } from './deadline.ts';
import type { ApiHandler } from './handler.ts';
import type { HttpReply, HttpRequest } from './http-message.ts';
import { type Agreement, failureFormat, negotiate, type OutputFormat, protobufType } from './media-type.ts';
import { acceptsGzip, failure, respond } from './respond.ts';
import { routeRefusal } from './route-refusal.ts';
import { sendBytes } from './send-bytes.ts';
import { statusOf } from './status.ts';
import { checkMethod, headOf, type Target, targetOf, withBody } from './to-request.ts';
import { Unsent } from './unsent.ts';
import type { Upgrade } from './upgrade.ts';
import { gzipped, jsonLines, protobufFrames } from './watch-encoding.ts';
import { WatchWriter } from './watch-writer.ts';

export interface ExchangeOptions {
  readonly handler: ApiHandler;
  /** Who a bearer token belongs to. Without it no token is valid. */
  readonly authenticate?: TokenAuthenticator;
  /** Whether the handler does what is asked, for this user. If not, no body is read for its refusal. Default: it does. */
  readonly serves?: (request: ApiRequest) => boolean;
  /** How many requests are worked on at a time; watches and other streams do not count. Default: all that come. */
  readonly limit?: InFlightLimit;
  readonly log: Logger;
  readonly clock: Clock;
  /** Draws audit ids; default the system's. */
  readonly random?: Random;
}

/** Turns requests into calls of the handler, and its answers into bytes. */
export class Exchanges {
  readonly #options: ExchangeOptions;
  readonly #onIdle: () => void;
  readonly #random: Random;
  readonly #watches = new Set<WatchWriter>();
  readonly #upgraded = new Set<Duplex>();
  readonly #unsent = new Unsent();
  #closing = false;

  /** @param onIdle called after each answer while the server closes */
  constructor(options: ExchangeOptions, onIdle: () => void) {
    this.#options = options;
    this.#onIdle = onIdle;
    this.#random = options.random ?? systemRandom;
  }

  serve(request: HttpRequest, reply: HttpReply): void {
    this.#exchange(request, reply).catch((error: unknown) => {
      if (!reply.isGone) this.#options.log.warn({ error, url: request.url }, 'an answer could not be written');
      reply.body.destroy();
    });
  }

  /** Ends what would go on for ever; other requests are answered. */
  endStreams(): void {
    this.#closing = true;
    for (const watch of this.#watches) watch.end();
    for (const socket of this.#upgraded) socket.end();
  }

  async #exchange(request: HttpRequest, reply: HttpReply): Promise<void> {
    const gone = new AbortController();
    reply.onClose((complete) => {
      // Aborting is not free, and nobody listens any more when the answer is out.
      if (!complete) gone.abort();
      else if (this.#closing) this.#onIdle();
    });
    reply.body.on('error', () => gone.abort());
    const given = request.headers['audit-id'];
    reply.setHeader('Audit-Id', typeof given === 'string' && given ? given : auditId(this.#random));
    reply.setHeader('Cache-Control', 'no-cache, private');
    if (this.#closing) reply.endConnection();
    const target = targetOf(request.url);
    const { leave = () => {}, refused } = await this.#admit(request, target, gone.signal);
    try {
      await this.#answer(request, reply, target, { gone, leave, refused });
    } finally {
      leave();
    }
  }

  async #answer(
    request: HttpRequest,
    reply: HttpReply,
    target: Target,
    { gone, leave, refused }: { gone: AbortController; leave: () => void; refused: unknown },
  ): Promise<void> {
    let agreement = jsonOnly;
    let answer: Exclude<ApiResponse, { kind: 'upgrade' }>;
    try {
      const user = await this.#userOf(request);
      if (refused) throw refused;
      const head = headOf(request, target, user, gone.signal);
      agreement = await agree(request, target).catch((error: unknown) => {
        if (this.#serves(head)) throw error;
        return jsonOnly;
      });
      const readable = request.hasBody && !head.raw && this.#serves(head);
      const whole = readable ? await withBody(request, head, this.#options.clock) : head;
      const { warnings } = request;
      const ready = { ...whole, ...acceptFor(request, agreement), ...(warnings ? { warnings } : {}) };
      const asked = await this.#ask(ready, limitOf(request, target), gone);
      if (request.upgrade && switches(asked, request.upgrade, target.path)) {
        leave();
        return await this.#switch(request, reply, request.upgrade, asked, agreement.format);
      }
      if (asked.kind === 'upgrade') throw badRequest('Upgrade request required');
      answer = asked;
    } catch (error) {
      if (reply.isGone) return;
      // Faults by rule ask for it.
      if (error instanceof ConnectionError) return reply.reset();
      answer = this.#refusal(error, request);
    }
    const { format } = agreement;
    if (answer.kind === 'watch') {
      leave();
      return this.#watch(request, reply, target, answer, format);
    }
    if (!leadsOut(target.path)) request.body.resume();
    if (answer.kind === 'bytes') {
      leave();
      return sendBytes(request, reply, answer, gone.signal);
    }
    // What could not be agreed on, and what protobuf is not asked for, is told in what the client reads.
    const failed = answer.code === 406 || (format === 'protobuf' && answer.code >= 400);
    const style = {
      format: failed ? failureFormat(request.headers.accept) : format,
      pretty: isPretty(request, target),
    };
    const answered = answer;
    await this.#unsent.make(request.socket, reply, () => respond(request, reply, answered, style));
    if (!reply.body.writableFinished) reply.limitStall();
  }

  /** Goes on with another protocol on the connection. */
  async #switch(
    request: HttpRequest,
    reply: HttpReply,
    upgrade: Upgrade,
    answer: SwitchingAnswer,
    format: OutputFormat,
  ): Promise<void> {
    const { takeOver } = await import('./take-over.ts');
    if (reply.isGone) return;
    const taken = await takeOver(request, upgrade, answer, { clock: this.#options.clock, format });
    if ('kind' in taken) return respond(request, reply, taken, { format: 'json', pretty: false });
    const { socket, head } = upgrade;
    reply.detach?.();
    socket.write(taken.head);
    socket.unshift(head);
    this.#upgraded.add(socket);
    if (this.#closing) socket.end();
    await taken.run(socket);
    this.#upgraded.delete(socket);
  }

  /** Waits for a place among the requests that are worked on; `leave` gives it back, once. */
  async #admit(
    request: HttpRequest,
    target: Target,
    gone: AbortSignal,
  ): Promise<{ readonly leave?: () => void; readonly refused?: unknown }> {
    const { limit } = this.#options;
    if (!limit || limitOf(request, target) === undefined) return {};
    const kind = requestKindOf(request.method, target.path);
    if (!kind || (await this.#isExempt(request))) return {};
    try {
      await limit.enter(kind, gone);
    } catch (error) {
      return { refused: error };
    }
    let there = true;
    const leave = () => {
      if (there) limit.leave(kind);
      there = false;
    };
    return { leave };
  }

  /** Administrators get through however much there is to do, or nobody could put an end to it. */
  async #isExempt(request: HttpRequest): Promise<boolean> {
    if (request.headers['impersonate-user'] !== undefined) return false;
    try {
      return (await this.#userOf(request)).groups.includes('system:masters');
    } catch {
      // Refused when it is its turn.
      return false;
    }
  }

  #serves(head: ApiRequest): boolean {
    return this.#options.serves?.(head) ?? true;
  }

  /** Who asks; found out once for each request. */
  #userOf(request: HttpRequest): Promise<UserInfo> {
    request.user ??= authenticate(request, this.#options.authenticate, (text) => {
      request.warnings = [text];
    });
    return request.user;
  }

  async #ask(request: ApiRequest, limit: number | undefined, gone: AbortController): Promise<ApiResponse> {
    const { handler, clock } = this.#options;
    const answering = handler(request);
    return limit === undefined ? answering : withDeadline(answering, clock, limit, () => gone.abort());
  }

  async #watch(
    request: HttpRequest,
    reply: HttpReply,
    target: Target,
    answer: Extract<ApiResponse, { kind: 'watch' }>,
    format: OutputFormat,
  ): Promise<void> {
    const { body } = reply;
    if (reply.isGone || request.method === 'HEAD') {
      answer.stream.cancel();
      body.end();
      return;
    }
    const plain = format === 'protobuf' ? await protobufFrames() : jsonLines;
    const encoding = compresses(request, target) ? await gzipped(plain) : plain;
    reply.writeHead(200, { 'Content-Type': encoding.contentType, ...encoding.headers, ...answer.headers });
    reply.flushHead();
    const writer = new WatchWriter(body, answer.stream, encoding, { onLast: () => reply.limitStall() });
    this.#watches.add(writer);
    const done = writer.run();
    if (this.#closing) writer.end();
    await done;
    this.#watches.delete(writer);
  }

  #refusal(error: unknown, request: HttpRequest): ReturnType<typeof failure> {
    const status = statusOf(error);
    if (status.code === 500) {
      this.#options.log.error(
        { error, method: request.method, url: request.url },
        'a request failed inside the server',
      );
    }
    return failure(status);
  }
}

type SwitchingAnswer = Extract<ApiResponse, { kind: 'upgrade' | 'bytes' | 'watch' }>;

/** Whether the answer goes over the new protocol. Streams have a form for WebSocket only; the rest is answered as ever. */
function switches(answer: ApiResponse, { kind }: Upgrade, path: string): answer is SwitchingAnswer {
  if (answer.kind === 'upgrade') return true;
  // What comes from behind a proxy without having switched is no message, and nothing is none.
  const isMessage = answer.kind === 'bytes' && answer.code === 200 && !leadsOut(path);
  return kind === 'websocket' && (answer.kind === 'watch' || isMessage);
}

/** The real server compresses watches that begin with all objects, when the client takes it; no others. */
function compresses(request: HttpRequest, { query }: Target): boolean {
  const { sendInitialEvents, allowWatchBookmarks } = query;
  return isTrue(sendInitialEvents) && isTrue(allowWatchBookmarks) && acceptsGzip(request);
}

const isTrue = (value: string | undefined): boolean => value === 'true' || value === '1';

/** The old form of a watch, without a query. */
const watchPath = /^\/(?:api|apis\/[^/]+)\/[^/]+\/watch\//;

/** Discovery refuses what it cannot be written as by itself. */
const discoveryPath = /^\/(?:api(?:\/[^/]+)?|apis(?:\/[^/]+){0,2})\/?$/;

const jsonOnly: Agreement = { format: 'json', clause: 'application/json' };

/**
 * API paths are negotiated before anything is done; what else is served has types of its own.
 * @throws ApiError 405, 406
 */
async function agree(request: HttpRequest, target: Target): Promise<Agreement> {
  checkMethod(request, target.path);
  const { accept } = request.headers;
  const { watch } = target.query;
  const stream = watch === 'true' || watch === '1' || watchPath.test(target.path);
  try {
    return negotiate(accept, { stream, protobuf: await offersProtobuf(accept, target.path) });
  } catch (error) {
    if (leadsOut(target.path) || discoveryPath.test(target.path)) return jsonOnly;
    if (/^\/apis?\//.test(target.path)) throw await routeRefusal(request, target.path, error);
    return jsonOnly;
  }
}

/** The table of messages is read when the first client asks for it. */
async function offersProtobuf(accept: string | undefined, path: string): Promise<boolean> {
  if (!accept?.includes(protobufType)) return false;
  const { servesProtobuf } = await import('./protobuf/index.ts');
  return servesProtobuf(path);
}

/** What the handler is to know of the client's wishes: the form of the object. How it is written is decided here. */
function acceptFor({ headers }: HttpRequest, { format, clause }: Agreement): { readonly accept?: string } {
  if (format !== 'protobuf') return headers.accept ? { accept: headers.accept } : {};
  return { accept: ['application/json', ...clause.split(';').slice(1)].join(';') };
}

/** `?pretty` decides; without it people with a command line or a browser get indentation, programs do not. */
function isPretty(request: HttpRequest, target: Target): boolean {
  const { pretty } = target.query;
  if (pretty !== undefined) return pretty === '1' || pretty.toLowerCase() === 'true' || pretty.toLowerCase() === 't';
  return /^(curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '');
}
