import { type KubeObject, Secret } from '@coxswain/k8s';
import type { RbacRules } from '../../apply/index.ts';
import { type Cache, createCache } from '../../cache/index.ts';
import {
  abortable,
  checkNumber,
  checkOptions,
  isAlreadyExists,
  isConflict,
  linkedController,
  messageOf,
  milliseconds,
  optionNames,
  Repeats,
  someMilliseconds,
} from '../../core/index.ts';
import type { KeyPair } from '../../pki/index.ts';
import { type CaTargets, caTargets, injectCa, type ServiceKey } from './ca-injection.ts';
import type { CertificateParts, CertificateSource } from './certificate-source.ts';
import { type CertificateObserver, certificateMetrics } from './metrics.ts';
import { Pacer } from './pacer.ts';
import { type RotationTimes, rotation } from './rotation.ts';
import { dataOf, readStored, type StoredCertificate } from './stored-certificate.ts';

/** Where `selfSigned` keeps its certificate, the names it answers to, and who is told of its authority. */
export interface SelfSignedOptions {
  /**
   * The Secret (`kubernetes.io/tls`, with `ca.crt`) that all replicas share; made when there is none. One that is there must be
   * empty or made by this.
   */
  readonly secret: ServiceKey;
  /** The Service through which the API server calls; its names are in the certificate. */
  readonly service?: ServiceKey;
  /** More names and IP addresses for the certificate; needed without a service. */
  readonly dnsNames?: readonly string[];
  /** Objects whose `caBundle` is kept right. With a service only where they name it. */
  readonly inject?: CaTargets;
  /** Milliseconds a certificate is good for; default 90 days. */
  readonly lifetime?: number;
  /** Milliseconds before its end that a successor is made; default a third of the lifetime. */
  readonly renewBefore?: number;
  /** Milliseconds for everybody to trust the successor before it is used; default an hour, a tenth of the lifetime at most. */
  readonly overlap?: number;
}

const optionsOfSelfSigned = optionNames<SelfSignedOptions>({
  secret: true,
  service: true,
  dnsNames: true,
  inject: true,
  lifetime: true,
  renewBefore: true,
  overlap: true,
});

const hour = 3_600_000;
const day = 24 * hour;
/** Also when nothing is heard, things are looked over so often. */
const longestRest = hour;
const marker = 'coxswain.dev/serving-certificate';

/**
 * Certificates that the manager makes itself: no cert-manager is needed. They are kept in a Secret, renewed in time, and the
 * API server is told whom to trust. `rules` say what that needs.
 * @throws TypeError when there is no name to make a certificate for, or for an option that nobody reads; RangeError for a time that makes
 * no sense
 */
export function selfSigned(options: SelfSignedOptions): CertificateSource {
  checkOptions('selfSigned', options ?? null, optionsOfSelfSigned);
  if (!options.secret?.name || !options.secret.namespace)
    throw new TypeError('selfSigned: give the "secret" in which the certificate is kept, with its name and namespace');
  for (const name of ['lifetime', 'renewBefore', 'overlap'] as const) {
    checkNumber('selfSigned', name, options[name], name === 'lifetime' ? someMilliseconds : milliseconds);
  }
  const names = namesOf(options);
  if (names.length === 0) throw new TypeError('a self-signed certificate needs a service, or dnsNames');
  return new SelfSigned(options, names);
}

function namesOf({ service, dnsNames = [] }: SelfSignedOptions): readonly string[] {
  if (!service) return dnsNames;
  const host = `${service.name}.${service.namespace}.svc`;
  return [...new Set([host, `${host}.cluster.local`, ...dnsNames])];
}

/** What there is by name is named; to create cannot be restricted to a name. */
function rulesOf({ secret, inject = {} }: SelfSignedOptions): RbacRules {
  const secrets = { apiGroups: [''], resources: ['secrets'] };
  const own = { ...secrets, resourceNames: [secret.name], verbs: ['get', 'list', 'watch', 'update'] };
  const byKind = Map.groupBy(caTargets(inject), ({ kind }) => kind);
  return {
    cluster: [...byKind].map(([{ group, plural }, targets]) => ({
      apiGroups: [group],
      resources: [plural],
      resourceNames: targets.map(({ name }) => name),
      verbs: ['get', 'list', 'watch', 'patch'],
    })),
    namespaces: { [secret.namespace]: [own, { ...secrets, verbs: ['create'] }] },
  };
}

function timesOf({ lifetime = 90 * day, renewBefore = lifetime / 3, overlap }: SelfSignedOptions): RotationTimes {
  return { lifetime, renewBefore, overlap: overlap ?? Math.min(hour, lifetime / 10) };
}

/** One pass after the other, each from what is in the Secret now: after a change of what is watched, and when it is time. */
class SelfSigned implements CertificateSource {
  readonly rules: RbacRules;
  readonly #options: SelfSignedOptions;
  readonly #names: readonly string[];
  readonly #times: RotationTimes;
  #served: KeyPair | undefined;
  /** Goes back into a Secret that someone deleted: others serve with it still. */
  #last: StoredCertificate | undefined;
  #end: (() => Promise<void>) | undefined;

  constructor(options: SelfSignedOptions, names: readonly string[]) {
    this.#options = options;
    this.#names = names;
    this.#times = timesOf(options);
    this.rules = rulesOf(options);
  }

  async start(parts: CertificateParts, signal: AbortSignal): Promise<void> {
    const { controller, unlink } = linkedController(signal);
    const { client, clock, random, log, metrics } = parts;
    const cache = createCache({ client, clock, random, log, metrics });
    const observer = certificateMetrics(parts.metrics);
    const pacer = new Pacer(parts.clock, parts.random, controller.signal);
    this.#watch(cache, () => pacer.wake());
    const ready = Promise.withResolvers<void>();
    const repeats = new Repeats(clock);
    const pass = async () => {
      const rest = await this.#pass(parts, controller.signal, observer, ready.resolve);
      repeats.over();
      return Math.min(rest, longestRest);
    };
    const running = pacer.run(pass, (error) => {
      observer.failed();
      if (!repeats.due(messageOf(error))) return;
      log.error({ secret: this.#options.secret, err: error }, 'serving certificate: trying again');
    });
    this.#end = async () => {
      controller.abort(new Error('the webhook server stopped'));
      unlink();
      await Promise.all([running, cache.stop()]);
    };
    await abortable(ready.promise, controller.signal);
  }

  async stop(): Promise<void> {
    await this.#end?.();
  }

  #watch(cache: Cache, changed: () => void): void {
    const { secret, inject = {} } = this.#options;
    const own = { kind: Secret, name: secret.name, namespace: secret.namespace };
    for (const { kind, name, ...within } of [own, ...caTargets(inject)]) {
      const fields = { 'metadata.name': name };
      cache.informer<KubeObject>(kind, { ...within, fields, metadataOnly: true }).onEvent(changed);
    }
  }

  /** @returns milliseconds until there is something to do without a change */
  async #pass(
    parts: CertificateParts,
    signal: AbortSignal,
    observer: CertificateObserver,
    ready: () => void,
  ): Promise<number> {
    const { secret: key } = this.#options;
    const { client, clock, random, log } = parts;
    const secret = await client.of(Secret).find(key, { signal });
    mustBeOurs(secret, key);
    observer.read();
    const stored = readStored(secret?.data);
    if (!stored.current && this.#last) {
      await this.#write(secret, this.#last, parts, signal);
      log.warn({ secret: key }, 'serving certificate: put back where it was taken away');
      return 0;
    }
    const step = rotation(stored, { names: this.#names, times: this.#times, clock, random });
    if (step.step === 'keep') {
      this.#last = stored;
      await this.#serve(stored, parts, signal, ready);
      return step.until - clock.now();
    }
    if (step.step === 'switch' && !step.urgent) await this.#inject(stored.authorities, parts, signal);
    await this.#write(secret, step.stored, parts, signal);
    log.info({ secret: key, step: step.step }, 'serving certificate');
    return 0;
  }

  /** All who call learn of the authorities before a new certificate is used; the first one is used at once. */
  async #serve(
    { current, authorities }: StoredCertificate,
    parts: CertificateParts,
    signal: AbortSignal,
    ready: () => void,
  ): Promise<void> {
    const use = () => {
      if (current && current.cert !== this.#served?.cert) parts.use(current);
      this.#served = current;
      ready();
    };
    if (!this.#served) use();
    try {
      await this.#inject(authorities, parts, signal);
    } finally {
      // whoever made it the current one has told all; only objects that are new can have failed
      use();
    }
  }

  async #inject(authorities: readonly string[], { client, log }: CertificateParts, signal: AbortSignal): Promise<void> {
    const { inject = {}, service } = this.#options;
    const caBundle = Buffer.from(authorities.join('')).toString('base64');
    for (const target of caTargets(inject)) {
      const changed = await injectCa(client, target, caBundle, service, signal);
      if (changed) log.info({ kind: target.kind.kind, name: target.name }, 'caBundle set');
    }
  }

  /** Another replica may be first; then its certificate is found in the next pass. */
  async #write(
    secret: Secret | undefined,
    stored: StoredCertificate,
    parts: CertificateParts,
    signal: AbortSignal,
  ): Promise<void> {
    const { secret: key } = this.#options;
    const { client } = parts;
    const data = dataOf(stored, secret?.data);
    try {
      if (secret) {
        const annotations = { ...secret.metadata.annotations, [marker]: 'self-signed' };
        await client.of(Secret).update({ ...secret, metadata: { ...secret.metadata, annotations }, data }, { signal });
      } else {
        const metadata = { ...key, annotations: { [marker]: 'self-signed' } };
        const object = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, data };
        await client.of(Secret).create(object, { signal });
      }
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
    }
  }
}

/** @throws Error when the Secret holds a certificate from elsewhere, which must not be overwritten */
function mustBeOurs(secret: Secret | undefined, { namespace, name }: ServiceKey): void {
  if (!secret || secret.metadata.annotations?.[marker] !== undefined) return;
  if (!secret.data?.['tls.crt'] && !secret.data?.['tls.key']) return;
  const what = `the Secret ${namespace}/${name} holds a certificate that was not made here`;
  throw new Error(`${what}; name another one, or serve it with certificatesFromFiles`);
}
