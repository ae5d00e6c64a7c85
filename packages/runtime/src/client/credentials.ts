import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../core/index.ts';
import type { CredentialSource, Credentials } from './connection.ts';

/** Credentials that never change. */
export function staticCredentials(credentials: Credentials): CredentialSource {
  return { current: () => Promise.resolve(credentials), refused: () => false };
}

/** The parts of several sources together; the later ones win. */
export function mergedCredentials(sources: readonly CredentialSource[]): CredentialSource {
  return {
    async current() {
      const parts = await Promise.all(sources.map((source) => source.current()));
      return Object.assign({}, ...parts) as Credentials;
    },
    // All are told, so no short cut.
    refused: (used) => sources.map((source) => source.refused(used)).some(Boolean),
  };
}

/** Which part comes from which file. */
export type CredentialFiles = { readonly [Part in 'ca' | 'cert' | 'key' | 'token']?: string };

/** Rotated files are noticed within this time. */
const rereadAfter = 60_000;

/**
 * Credentials kept in files, read again at most once a minute and when the server refuses them.
 * When files that were read once cannot be read later, or not yet make sense together (a new certificate whose key is still
 * being written), the last content is used.
 * @param describe says in errors where the paths come from: `kubeconfig /home/a/.kube/config, user "admin"`
 */
export function fileCredentials(files: CredentialFiles, clock: Clock, describe: string): CredentialSource {
  let known: Credentials | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Credentials> | undefined;

  async function read(): Promise<Credentials> {
    const parts = await Promise.all(Object.entries(files).map(([part, path]) => readPart(part, path, describe)));
    const credentials = Object.fromEntries(parts) as Credentials;
    checkPems(credentials, describe);
    return credentials;
  }

  return {
    current() {
      if (known && clock.monotonic() - readAt < rereadAfter) return Promise.resolve(known);
      reading ??= read()
        .then(
          (fresh) => fresh,
          (error) => known ?? Promise.reject(error),
        )
        .then((credentials) => {
          known = credentials;
          readAt = clock.monotonic();
          return credentials;
        })
        .finally(() => {
          reading = undefined;
        });
      return reading;
    },
    refused() {
      readAt = Number.NEGATIVE_INFINITY;
      return true;
    },
  };
}

/**
 * Certificates that can be read, and a key that is the certificate's.
 * @throws Error which does not show them
 */
export function checkPems({ ca, cert, key }: Credentials, describe: string): void {
  const attempt = <R>(what: string, parse: () => R): R => {
    try {
      return parse();
    } catch (cause) {
      throw new Error(`${describe}: ${what}: ${(cause as Error).message}`, { cause });
    }
  };
  if (ca !== undefined) attempt('the ca is not a certificate', () => new X509Certificate(ca));
  if (cert === undefined || key === undefined) return;
  const certificate = attempt('the certificate cannot be read', () => new X509Certificate(cert));
  const privateKey = attempt('the key cannot be read', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) throw new Error(`${describe}: the key is not the certificate's`);
}

async function readPart(part: string, path: string, describe: string): Promise<[string, string]> {
  try {
    const text = await readFile(path, 'utf8');
    if (text.trim() === '') throw new Error('the file is empty');
    return [part, part === 'token' ? text.trim() : text];
  } catch (cause) {
    throw new Error(`${describe}: cannot read the ${part} from ${path}: ${(cause as Error).message}`, { cause });
  }
}
