import type { MutableJson } from '@coxswain/k8s';
import type { Clock } from '@coxswain/runtime/core';
import type { Storage } from '../../../storage/types.ts';
import type { ClientConfig } from './hook.ts';
import { httpsPoster, type Poster } from './post.ts';
import type { WebhookRoutes } from './routes.ts';
import { serviceAddress } from './service-address.ts';

export interface WebhookRequest {
  readonly client: ClientConfig;
  readonly timeoutSeconds: number;
  readonly review: MutableJson;
  readonly storage: Storage;
}

/** Sends a review and answers the parsed reply. Rejects with an Error that says what failed. */
export type CallWebhook = (request: WebhookRequest) => Promise<unknown>;

export interface WebhookCaller {
  readonly call: CallWebhook;
  /** Ends connections that are kept for the next call. */
  close(): void;
}

/** In-process targets keep to the time limit too. */
async function within<T>(clock: Clock, seconds: number, what: string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = clock.after(seconds * 1000, () => reject(new Error(`${what}: context deadline exceeded`)));
  try {
    return await Promise.race([work, promise]);
  } finally {
    timer.cancel();
  }
}

async function callService(
  request: WebhookRequest,
  options: { readonly clock: Clock; readonly routes: WebhookRoutes; readonly post: Poster },
): Promise<unknown> {
  const { client, timeoutSeconds, review, storage } = request;
  const { service, caBundle } = client;
  if (!service) throw new Error('webhook configuration must have either service or URL');
  const { namespace, name, port } = service;
  const path = service.path.startsWith('/') || service.path === '' ? service.path : `/${service.path}`;
  const host = `${name}.${namespace}.svc`;
  const url = `https://${host}:${port}${path}?timeout=${timeoutSeconds}s`;
  const route = options.routes.get(`${namespace}/${name}:${port}`) ?? options.routes.get(`${namespace}/${name}`);
  if (typeof route === 'function') {
    return within(options.clock, timeoutSeconds, `Post ${JSON.stringify(url)}`, route(path, review));
  }
  let address: { readonly host: string; readonly port: number };
  try {
    address = route === undefined ? serviceAddress(storage, service) : addressOf(route);
  } catch (error) {
    throw new Error(`Post ${JSON.stringify(url)}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return options.post({ url, address, serverName: host, caBundle, body: review, timeoutSeconds });
}

function addressOf(route: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(route);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443) };
}

function callUrl({ client, review, timeoutSeconds }: WebhookRequest, post: Poster): Promise<unknown> {
  const url = new URL(client.url ?? '');
  url.searchParams.set('timeout', `${timeoutSeconds}s`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const address = { host, port: Number(url.port || 443) };
  return post({ url: url.href, address, serverName: host, caBundle: client.caBundle, body: review, timeoutSeconds });
}

/** Calls webhooks over HTTPS, on connections that are kept open between calls. */
export function createWebhookCaller(options: {
  readonly clock: Clock;
  readonly routes?: WebhookRoutes;
}): WebhookCaller {
  const { clock, routes = new Map() } = options;
  const { post, close } = httpsPoster(clock);
  return {
    call: (request) =>
      request.client.url === undefined ? callService(request, { clock, routes, post }) : callUrl(request, post),
    close,
  };
}
