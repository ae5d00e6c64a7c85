// Asks a webhook server as an API server does: over TLS, trusting one authority. For the tests of this room.
import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { parseJson, stringifyJson } from '../client/index.ts';

export interface Answer {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes
  readonly body: any;
  /** Serial number of the server's certificate. */
  readonly serial: string;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, instead of JSON. */
  readonly text?: string;
}

/** A caller that knows the server by a name and trusts `ca` (PEM); each call is a connection of its own. */
export function caller(server: { readonly port: number }, ca: string, servername = 'hooks.system.svc') {
  return (path: string, body?: unknown, { method = 'POST', headers, text }: CallOptions = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: server.port, path, method, ca, servername, agent: false };
      const asked = request({ ...options, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
        const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const parsed = parseJson(Buffer.concat(chunks).toString() || 'null');
          resolve({ code: response.statusCode ?? 0, body: parsed, serial: serialNumber });
        });
      });
      asked.on('error', reject);
      asked.end(text ?? stringifyJson(body));
    });
}

export interface TestRequest {
  readonly operation?: string;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly [field: string]: unknown;
}

/** An AdmissionReview about an Echo, unless the request says otherwise. */
export function reviewOf(request: TestRequest) {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'request-1',
      kind: { group: 'demo.dev', version: 'v1', kind: 'Echo' },
      operation: 'CREATE',
      userInfo: { username: 'ann', groups: ['people'] },
      namespace: 'default',
      name: 'e',
      ...request,
    },
  };
}

/** What the patch of a mutating answer says. */
export function patchIn({ body }: Answer): unknown {
  return parseJson(Buffer.from(body.response.patch ?? '', 'base64').toString() || '[]');
}
