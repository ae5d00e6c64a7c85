import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@coxswain/runtime/core';
import { createAuthority } from '@coxswain/runtime/pki';
import { answerOf, type Call, callOf } from './hook-answers.ts';

/** Webhooks on loopback, under certificates of an authority of their own. What they do is in the path. */
export interface HookServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Base64, as a configuration has it. */
  readonly caBundle: string;
  /** What was asked since the last time this was asked. */
  calls(): readonly Call[];
}

const names = ['127.0.0.1', 'localhost', 'hooks.webhooks.svc'];

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

export async function startHookServer(): Promise<HookServer> {
  const authority = createAuthority({ clock: systemClock });
  let calls: Call[] = [];
  const server = createServer(authority.issueServer(names), (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const review = JSON.parse(Buffer.concat(chunks).toString());
      calls.push(callOf(path, review));
      const { code, body, type = 'application/json' } = answerOf(path, review);
      response.writeHead(code, { 'content-type': type }).end(body);
    });
  });
  const port = await listen(server);
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    caBundle: Buffer.from(authority.cert).toString('base64'),
    calls() {
      const made = calls;
      calls = [];
      return made;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
