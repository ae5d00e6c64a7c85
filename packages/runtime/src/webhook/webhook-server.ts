import type { Client } from '../client/index.ts';
import {
  type Clock,
  checkNumber,
  checkOptions,
  checkPort,
  type Logger,
  milliseconds,
  optionNames,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from '../core/index.ts';
import type { Runnable } from '../manager/index.ts';
import { type MetricsRegistry, noMetrics } from '../metrics/index.ts';
import type { KeyPair } from '../pki/index.ts';
import { admit, type HandlerParts } from './admission.ts';
import type { CertificateParts, CertificateSource } from './certificates/certificate-source.ts';
import { type Convertible, convertReview } from './conversion.ts';
import { type Endpoint, HttpsServer } from './https-server.ts';
import { type WebhookObserver, webhookMetrics } from './metrics.ts';
import type { Webhook } from './types.ts';

/** What `webhookServer` serves, under which certificate, and where. */
export interface WebhookServerOptions {
  /** For handlers and certificates. The plain client, not the manager's: that one writes only while it leads. */
  readonly client: Client;
  readonly webhooks?: readonly Webhook[];
  /** Kinds whose versions are converted at `/convert`. */
  readonly conversions?: readonly Convertible[];
  /** Where the server gets its certificate, or one that stays. */
  readonly certificates: CertificateSource | KeyPair;
  /** TCP port; 0 takes any free one. Default 9443. */
  readonly port?: number;
  /** Default: all addresses. */
  readonly host?: string;
  /** PEM; when set, only clients with a certificate of this authority are heard. */
  readonly clientCa?: string;
  /** Milliseconds for running requests to end at a stop; default 10 000. */
  readonly shutdownTimeout?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  readonly metrics?: MetricsRegistry;
}

const names = optionNames<WebhookServerOptions>({
  client: true,
  webhooks: true,
  conversions: true,
  certificates: true,
  port: true,
  host: true,
  clientCa: true,
  shutdownTimeout: true,
  clock: true,
  random: true,
  log: true,
  metrics: true,
});

/** A webhook server among the runnables of a manager. It serves on standbys too. */
export interface WebhookServer extends Runnable {
  /** The port in use; 0 when it does not listen. */
  readonly port: number;
}

/** Bytes: two objects of 3 MB, which is the most the API server stores doubled, and what is around them. */
const admissionLimit = 7 * 1024 * 1024;

/** Bytes: all objects of a list come in one request. */
const conversionLimit = 128 * 1024 * 1024;
/** Where the API server is to send conversions. */
export const conversionPath = '/convert';

/**
 * Serves webhooks: `manager.add(webhookServer({ client, webhooks: [echoWebhook], certificates }))`.
 * @throws TypeError when two webhooks have the same path, or for an option that nobody reads; `start` rejects when the port is taken
 */
export function webhookServer(options: WebhookServerOptions): WebhookServer {
  const what = 'webhookServer';
  checkOptions(what, options ?? null, names);
  const { client, certificates, port, shutdownTimeout } = options;
  if (typeof client?.of !== 'function') throw new TypeError(`${what}: give a "client", as createClient makes it`);
  if (typeof certificates !== 'object' || certificates === null)
    throw new TypeError(`${what}: give "certificates": selfSigned, certificatesFromFiles, or a key pair`);
  checkPort(what, port);
  checkNumber(what, 'shutdownTimeout', shutdownTimeout, milliseconds);
  return new CertifiedServer(options);
}

/** The life of a server: its certificate first, then its door; backwards at the end. */
class CertifiedServer implements WebhookServer {
  readonly name = 'webhook server';
  readonly #server: HttpsServer;
  readonly #source: CertificateSource;
  readonly #parts: Omit<CertificateParts, 'use'>;
  readonly #shutdownTimeout: number;

  constructor(options: WebhookServerOptions) {
    const { client, clock = systemClock, random = systemRandom, metrics = noMetrics } = options;
    const { port = 9443, host, clientCa, certificates, shutdownTimeout = 10_000 } = options;
    const log = (options.log ?? silentLogger).child({ server: 'webhook' });
    const observer = webhookMetrics(metrics);
    const endpoints = endpointsOf(options, { client, clock, log }, observer);
    this.#server = new HttpsServer({ port, host, clientCa, endpoints, clock, log, observer });
    this.#source = 'cert' in certificates ? unchanging(certificates) : certificates;
    this.#parts = { client, clock, random, log, metrics };
    this.#shutdownTimeout = shutdownTimeout;
  }

  get port(): number {
    return this.#server.port;
  }

  async start(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    let latest: KeyPair | undefined;
    const use = (pair: KeyPair) => {
      this.#server.swap(pair);
      latest = pair;
    };
    await this.#source.start({ ...this.#parts, use }, signal);
    if (!latest) throw new Error('the certificate source of the webhook server gave no certificate');
    await this.#server.start(latest);
    this.#parts.log.info({ port: this.port }, 'webhooks are served');
  }

  async stop(): Promise<void> {
    await this.#server.stop(this.#shutdownTimeout);
    await this.#source.stop();
  }
}

/** One certificate for the whole life. */
function unchanging(pair: KeyPair): CertificateSource {
  return {
    start: async ({ use }) => use(pair),
    stop: async () => {},
  };
}

function endpointsOf(
  { webhooks = [], conversions = [] }: WebhookServerOptions,
  parts: Omit<HandlerParts, 'failed'>,
  observer: WebhookObserver,
): readonly Endpoint[] {
  const endpoints = webhooks.flatMap((hook) => admissionEndpoints(hook, parts, observer));
  if (conversions.length > 0) endpoints.push(conversionEndpoint(conversions, parts, observer));
  const paths = endpoints.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) throw new TypeError(`two webhooks are served at ${twice}; give one of them another path`);
  return endpoints;
}

function conversionEndpoint(
  kinds: readonly Convertible[],
  { clock, log }: Omit<HandlerParts, 'failed'>,
  { converterFailed }: WebhookObserver,
): Endpoint {
  const own = { clock, log: log.child({ webhook: conversionPath }), failed: converterFailed };
  return {
    path: conversionPath,
    bodyLimit: conversionLimit,
    answer: (body, signal) => convertReview(kinds, body, own, signal),
  };
}

function admissionEndpoints(hook: Webhook, parts: Omit<HandlerParts, 'failed'>, observer: WebhookObserver): Endpoint[] {
  const endpoint = (verb: 'mutate' | 'validate', path: string): Endpoint => {
    const own: HandlerParts = { ...parts, log: parts.log.child({ webhook: path }), failed: observer.handlerFailed };
    return { path, bodyLimit: admissionLimit, answer: (body, signal) => admit(hook, verb, body, own, signal) };
  };
  return [
    ...(hook.handlers.default ? [endpoint('mutate', hook.mutating.path)] : []),
    ...(hook.handlers.validate ? [endpoint('validate', hook.validating.path)] : []),
  ];
}
