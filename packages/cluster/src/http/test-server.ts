import { request as httpsRequest, type RequestOptions } from 'node:https';
import { silentLogger, systemClock } from '@coxswain/runtime/core';
import { createAuthority } from '@coxswain/runtime/pki';
import type { ApiRequest, ApiResponse, OutgoingEvent, WatchStream } from '../apiserver/types.ts';
import { type HttpsServer, startHttps } from './start-https.ts';

/** Signs all servers and clients of the tests of this room. */
export const authority = createAuthority({ clock: systemClock });

/** A server whose handler the test sets; it knows one token, `secret`, of the user `bot`. */
export function startTestServer(
  handler: (request: ApiRequest) => Promise<ApiResponse>,
  port = 0,
): Promise<HttpsServer> {
  return startHttps({
    port,
    handler,
    authority,
    authenticate: (token) => (token === 'secret' ? { name: 'bot', groups: [] } : undefined),
    log: silentLogger,
    clock: systemClock,
  });
}

export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly body: never;
}

/** Sends one request on a connection of its own. `body` of the answer: parsed JSON, else the text. */
export function ask(
  path: string,
  options: RequestOptions & { readonly body?: string | Buffer; readonly to: HttpsServer },
): Promise<Answer> {
  const { body: sent, to, ...rest } = options;
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      { host: '127.0.0.1', port: to.port, path, ca: authority.cert, agent: false, ...rest },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const type = response.headers['content-encoding'] ? '' : response.headers['content-type'];
          const single = type?.startsWith('application/json') && bytes.length > 0 && !path.includes('watch');
          const body = (single ? JSON.parse(bytes.toString()) : bytes.toString()) as never;
          resolve({ code: response.statusCode ?? 0, headers: response.headers, bytes, body });
        });
      },
    );
    request.on('error', reject);
    request.end(sent);
  });
}

/** A watch stream that the test drives. */
export interface TestWatch extends WatchStream {
  readonly started: Promise<void>;
  readonly cancelled: Promise<void>;
  push(events: readonly OutgoingEvent[]): void;
  end(): void;
}

export function newWatch(): TestWatch {
  const started = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const watch: TestWatch = {
    started: started.promise,
    cancelled: cancelled.promise,
    push() {},
    end() {},
    start(onEvents, onEnd) {
      watch.push = onEvents;
      watch.end = onEnd;
      started.resolve();
    },
    cancel: () => cancelled.resolve(),
  };
  return watch;
}
