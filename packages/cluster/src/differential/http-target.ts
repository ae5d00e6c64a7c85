import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { loadKubeconfig, parseJson, stringifyJson } from '@coxswain/runtime/client';
import { type Clock, sleep } from '@coxswain/runtime/core';
import { parse } from 'yaml';
import type { FilledStep, RawAnswer, Stream, Target } from './types.ts';

/** Milliseconds an answer or an event is waited for. */
const patience = 20_000;
/** Milliseconds without another event after which a stream is taken to have said all it has to say. */
const quiet = 150;

export interface HttpTargetOptions {
  /** With the address and the credentials. */
  readonly kubeconfig: string;
  readonly clock: Clock;
}

/** A server behind HTTPS, asked with as little between as possible. */
export async function httpTarget({ kubeconfig, clock }: HttpTargetOptions): Promise<Target> {
  const connection = await loadKubeconfig({ text: kubeconfig });
  const { ca, cert, key, token } = await connection.credentials.current();
  const ask = (step: FilledStep): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const payload = step.raw ?? (step.body === undefined ? undefined : JSON.stringify(step.body));
      const options: RequestOptions = {
        method: step.method,
        ca,
        // who says in a header who they are shows no certificate
        ...(step.headers?.['authorization'] === undefined ? { cert, key } : {}),
        timeout: patience,
        ...(connection.serverName === undefined ? {} : { servername: connection.serverName }),
        headers: {
          accept: step.accept ?? 'application/json',
          'user-agent': 'differential',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(payload === undefined
            ? {}
            : { 'content-type': step.contentType ?? 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...step.headers,
        },
      };
      const outgoing = request(new URL(step.path, connection.server), options, resolve);
      outgoing.once('timeout', () => outgoing.destroy(new Error(`${step.method} ${step.path}: no answer`)));
      outgoing.once('error', reject);
      outgoing.end(payload);
    });
  return {
    async send(step) {
      try {
        const incoming = await ask(step);
        return answerOf(incoming, await textOf(incoming));
      } catch (error) {
        return { status: 0, warnings: [], body: `no answer: ${String(error)}` };
      }
    },
    async open(step) {
      const incoming = await ask(step);
      if (incoming.statusCode !== 200) return { answer: answerOf(incoming, await textOf(incoming)) };
      return { answer: answerOf(incoming, ''), stream: new HttpStream(incoming, clock) };
    },
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function answerOf(incoming: IncomingMessage, text: string): RawAnswer {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  return {
    status: incoming.statusCode ?? 0,
    headers,
    warnings: warningsOf(incoming.rawHeaders),
    body: bodyOf(headers['content-type'] ?? '', text),
  };
}

function bodyOf(type: string, text: string): unknown {
  if (text === '') return text;
  if (type.includes('json')) return parseJson(text);
  return type.includes('yaml') ? parseJson(stringifyJson(parse(text, { intAsBigInt: true }))) : text;
}

/** Texts of all `Warning` headers (`299 - "…"`). */
function warningsOf(raw: readonly string[]): string[] {
  const texts: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]?.toLowerCase() !== 'warning') continue;
    const quoted = /^299 - "((?:[^"\\]|\\.)*)"$/.exec(raw[i + 1] ?? '');
    texts.push(quoted?.[1] === undefined ? (raw[i + 1] ?? '') : quoted[1].replaceAll(/\\(.)/g, '$1'));
  }
  return texts;
}

class HttpStream implements Stream {
  readonly #incoming: IncomingMessage;
  readonly #clock: Clock;
  #text = '';
  #events: unknown[] = [];
  #ended = false;

  constructor(incoming: IncomingMessage, clock: Clock) {
    this.#incoming = incoming;
    this.#clock = clock;
    incoming.setEncoding('utf8');
    incoming.on('data', (chunk: string) => this.#add(chunk));
    incoming.once('close', () => {
      this.#ended = true;
    });
    incoming.on('error', () => {
      this.#ended = true;
    });
  }

  async take(events: number, toEnd: boolean) {
    const end = this.#clock.monotonic() + patience;
    const enough = () => this.#events.length >= events && (!toEnd || this.#ended);
    while (!enough() && !this.#ended && this.#clock.monotonic() < end) await sleep(this.#clock, 5);
    if (!toEnd) await sleep(this.#clock, quiet);
    const taken = { events: this.#events, ended: this.#ended };
    this.#incoming.destroy();
    return taken;
  }

  #add(chunk: string): void {
    this.#text += chunk;
    const lines = this.#text.split('\n');
    this.#text = lines.pop() ?? '';
    for (const line of lines) if (line !== '') this.#events.push(JSON.parse(line));
  }
}
