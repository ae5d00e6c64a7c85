import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Random } from '@coxswain/runtime/core';
import {
  type Authority,
  authorityProblem,
  createAuthority,
  generateKey,
  type KeyPair,
  privatePem,
} from '@coxswain/runtime/pki';
import { makeDirectory } from '../storage/index.ts';

/** What a cluster signs with. */
export interface ClusterKeys {
  readonly authority: Authority;
  /** EC P-256 private key, PKCS #8 PEM, for service account tokens (ES256). */
  readonly serviceAccountKey: string;
}

export interface ClusterKeysOptions {
  readonly clock: Clock;
  readonly random?: Random;
  /** Directory that keeps them (`ca.crt`, `ca.key`, `sa.key`; keys with mode 0600); made when missing. Absent: new ones each time. */
  readonly dir?: string;
}

/** The stored keys cannot be used. The message says what to do. */
export class KeysError extends Error {
  readonly dir: string;

  constructor(dir: string, why: string, options?: ErrorOptions) {
    super(
      `the cluster's keys in ${dir} cannot be used (${why}): put back the right files, or remove the directory to get new ones`,
      options,
    );
    this.name = 'KeysError';
    this.dir = dir;
  }
}

/**
 * The keys of a cluster: those in `dir`, or new ones, which are stored there. Whoever has the directory is the cluster.
 * @throws KeysError when what is stored is damaged, expired or cannot be read or written
 */
export function loadKeys(options: ClusterKeysOptions): ClusterKeys {
  const { clock, random, dir } = options;
  const base = { clock, ...(random ? { random } : {}) };
  if (dir === undefined) return { authority: createAuthority(base), serviceAccountKey: newKey() };
  try {
    makeDirectory(dir);
    const authority = storedAuthority(dir, base);
    return { authority, serviceAccountKey: readOrMake(join(dir, 'sa.key'), newKey) };
  } catch (error) {
    throw error instanceof KeysError
      ? error
      : new KeysError(dir, error instanceof Error ? error.message : String(error), { cause: error });
  }
}

const newKey = (): string => privatePem(generateKey().privateKey);

function storedAuthority(dir: string, base: { readonly clock: Clock; readonly random?: Random }): Authority {
  const key = readIfThere(join(dir, 'ca.key'));
  const cert = readIfThere(join(dir, 'ca.crt'));
  if (key !== undefined && cert !== undefined) {
    const existing: KeyPair = { cert, key };
    const problem = authorityProblem(existing, base.clock.now());
    if (problem) throw new KeysError(dir, problem);
    return createAuthority({ ...base, existing });
  }
  // A certificate without its key is no use; a key alone was left by a start that was cut short.
  if (cert !== undefined) throw new KeysError(dir, 'ca.key is missing');
  const authority = createAuthority(base);
  store(join(dir, 'ca.key'), authority.key, 0o600);
  store(join(dir, 'ca.crt'), authority.cert, 0o644);
  return authority;
}

function readOrMake(path: string, make: () => string): string {
  const stored = readIfThere(path);
  if (stored !== undefined) return stored;
  const made = make();
  store(path, made, 0o600);
  return made;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole or not at all, and never readable for others in between. */
function store(path: string, text: string, mode: number): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, text, { mode, flush: true });
  renameSync(temporary, path);
}
