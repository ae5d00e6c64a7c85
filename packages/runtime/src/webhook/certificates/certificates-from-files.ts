import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { linkedController } from '../../core/index.ts';
import type { KeyPair } from '../../pki/index.ts';
import type { CertificateParts, CertificateSource } from './certificate-source.ts';
import { type CertificateObserver, certificateMetrics } from './metrics.ts';
import { Pacer } from './pacer.ts';

/** Paths of a certificate and its key, as cert-manager and kubelet mount them. */
export interface CertificateFiles {
  /** Path of the certificate, with those of intermediate authorities after it: PEM. */
  readonly cert: string;
  /** Path of its private key: PEM. */
  readonly key: string;
}

/** Milliseconds between two looks. A volume of a Secret changes within about a minute anyway. */
const interval = 10_000;

/**
 * A certificate that something else puts into files and renews, such as cert-manager through the volume of a Secret. The
 * files are read every 10 s, as file events get lost when a volume changes; a pair that does not fit is passed over until it does.
 * `start` rejects when there is none to begin with.
 */
export function certificatesFromFiles(files: CertificateFiles): CertificateSource {
  return new PolledFiles(files);
}

class PolledFiles implements CertificateSource {
  readonly #files: CertificateFiles;
  /** Of the contents last looked at, good or not. */
  #seen = '';
  #end: (() => Promise<void>) | undefined;

  constructor(files: CertificateFiles) {
    this.#files = files;
  }

  async start(parts: CertificateParts, signal: AbortSignal): Promise<void> {
    const observer = certificateMetrics(parts.metrics);
    await this.#look(parts, observer);
    const { controller, unlink } = linkedController(signal);
    let first = true;
    const pass = async () => {
      if (!first) await this.#lookAgain(parts, observer);
      first = false;
      return interval;
    };
    const running = new Pacer(parts.clock, parts.random, controller.signal).run(pass, () => {});
    this.#end = async () => {
      controller.abort(new Error('the webhook server stopped'));
      unlink();
      await running;
    };
  }

  async stop(): Promise<void> {
    await this.#end?.();
  }

  async #lookAgain(parts: CertificateParts, observer: CertificateObserver): Promise<void> {
    try {
      await this.#look(parts, observer);
    } catch (error) {
      parts.log.error({ ...this.#files, err: error }, 'serving certificate: the old one stays in use');
    }
  }

  /** @throws Error when a file cannot be read, or what is new in them does not fit together */
  async #look({ use, log }: CertificateParts, observer: CertificateObserver): Promise<void> {
    try {
      observer.read();
      const pair = await this.#read();
      const seen = createHash('sha256').update(pair.cert).update('\0').update(pair.key).digest('hex');
      if (seen === this.#seen) return;
      this.#seen = seen;
      const certificate = fitting(pair, this.#files);
      use(pair);
      log.info({ ...this.#files, notAfter: certificate.validTo }, 'serving certificate: read');
    } catch (error) {
      observer.failed();
      throw error;
    }
  }

  async #read(): Promise<KeyPair> {
    const [cert, key] = await Promise.all([readFile(this.#files.cert, 'utf8'), readFile(this.#files.key, 'utf8')]);
    return { cert, key };
  }
}

/** @throws Error that quotes nothing of the key */
function fitting(pair: KeyPair, files: CertificateFiles): X509Certificate {
  let problem = 'the key does not belong to the certificate';
  try {
    const certificate = new X509Certificate(pair.cert);
    if (certificate.checkPrivateKey(createPrivateKey(pair.key))) return certificate;
  } catch {
    problem = 'one of them is not PEM of its kind';
  }
  throw new Error(`${files.cert} and ${files.key} cannot be used: ${problem}`);
}
