import type { IncomingMessage } from 'node:http';
import type { Agent } from 'node:https';
import type { MutableJson } from '@coxswain/k8s';
import { parseJson, stringifyJson } from '@coxswain/runtime/client';
import type { Clock } from '@coxswain/runtime/core';
import { connectionProblem, parseProblem, statusProblem } from './post-problems.ts';

export interface Post {
  /** As shown in errors; its path and host are sent. */
  readonly url: string;
  readonly address: { readonly host: string; readonly port: number };
  /** The name that the certificate must be for. */
  readonly serverName: string;
  /** PEM; absent: the roots this machine trusts. */
  readonly caBundle: string | undefined;
  readonly body: MutableJson;
  readonly timeoutSeconds: number;
}

export type Poster = (post: Post) => Promise<unknown>;

/** Bytes of a reply above which it is not read to its end. */
const largestReply = 16 * 1024 * 1024;

interface Answer {
  readonly code: number;
  /** Media type. */
  readonly type: string;
  readonly text: string;
}

async function readAll(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > largestReply) throw new Error(`the reply is larger than ${largestReply} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

/** POSTs reviews over HTTPS. The client part of the machine's HTTPS is loaded with the first call. */
export function httpsPoster(clock: Clock): { readonly post: Poster; close(): void } {
  let agent: Agent | undefined;

  async function send(post: Post, signal: AbortSignal, retry: boolean): Promise<Answer> {
    const https = await import('node:https');
    agent ??= new https.Agent({ keepAlive: true, maxFreeSockets: 16 });
    const { host, pathname, search } = new URL(post.url);
    const body = stringifyJson(post.body);
    const isAddress = /^[\d.]+$|:/.test(post.serverName);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const request = https.request({
      agent,
      method: 'POST',
      host: post.address.host,
      port: post.address.port,
      path: `${pathname}${search}`,
      headers: {
        host,
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
      ...(isAddress ? {} : { servername: post.serverName }),
      ...(post.caBundle === undefined ? {} : { ca: post.caBundle }),
      signal,
    });
    request.once('response', (message) => {
      const { statusCode: code = 0, headers } = message;
      readAll(message).then((text) => resolve({ code, type: headers['content-type'] ?? '', text }), reject);
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      // A kept connection may have been closed by the other side at the moment it was taken up again.
      if (retry && request.reusedSocket && error.code === 'ECONNRESET') send(post, signal, false).then(resolve, reject);
      else reject(error);
    });
    request.end(body);
    return promise;
  }

  return {
    async post(post) {
      const controller = new AbortController();
      const timer = clock.after(post.timeoutSeconds * 1000, () => controller.abort());
      let answer: Answer;
      try {
        answer = await send(post, controller.signal, true);
      } catch (error) {
        const why = controller.signal.aborted ? 'context deadline exceeded' : connectionProblem(error, post.address);
        throw new Error(`Post ${JSON.stringify(post.url)}: ${why}`);
      } finally {
        timer.cancel();
      }
      if (answer.code < 200 || answer.code > 206) throw new Error(statusProblem(answer));
      try {
        return parseJson(answer.text);
      } catch (error) {
        throw new Error(parseProblem(answer, error));
      }
    },
    close: () => agent?.destroy(),
  };
}
