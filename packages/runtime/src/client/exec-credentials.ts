import { spawn } from 'node:child_process';
import { type Clock, parseTime } from '../core/index.ts';
import type { CredentialSource, Credentials } from './connection.ts';

/** A kubeconfig's `exec`: a program that prints credentials. */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Told to the plugin when it asks for it (`provideClusterInfo`). */
  readonly cluster?: Readonly<Record<string, unknown>>;
  /** Shown when the program is missing. */
  readonly installHint?: string;
}

export interface ExecOptions {
  readonly clock: Clock;
  /** The environment the program starts in. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the plugin is named, for errors. */
  readonly describe: string;
  /** Milliseconds the program may take; default 30 000. */
  readonly timeout?: number;
}

/** Credentials are renewed so long before they expire. */
const renewBefore = 60_000;

/** Credentials printed by a program, run when they are first needed, when they expire, and when the server refuses them. */
export function execCredentials(plugin: ExecPlugin, options: ExecOptions): CredentialSource {
  let known: { readonly credentials: Credentials; readonly until: number } | undefined;
  let running: Promise<Credentials> | undefined;

  async function renew(): Promise<Credentials> {
    const output = await run(plugin, options);
    known = decode(output, plugin, options.describe);
    return known.credentials;
  }

  return {
    current() {
      if (known && options.clock.now() < known.until) return Promise.resolve(known.credentials);
      running ??= renew().finally(() => {
        running = undefined;
      });
      return running;
    },
    refused() {
      known = undefined;
      return true;
    },
  };
}

function run(plugin: ExecPlugin, { clock, env, describe, timeout = 30_000 }: ExecOptions): Promise<string> {
  const spec = { interactive: false, ...(plugin.cluster ? { cluster: plugin.cluster } : {}) };
  const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec });
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, plugin.args, {
      env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const fail = (why: string, cause?: unknown) =>
      reject(new Error(`${describe}: exec plugin "${plugin.command}" ${why}`, { cause }));
    const timer = clock.after(timeout, () => {
      child.kill('SIGKILL');
      fail(`did not finish within ${timeout / 1000}s`);
    });
    let [output, complaints] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-2000);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      timer.cancel();
      const hint = plugin.installHint ? `\n${plugin.installHint}` : '';
      fail(error.code === 'ENOENT' ? `is not installed${hint}` : `cannot be started: ${error.message}`, error);
    });
    child.on('close', (code, killedBy) => {
      timer.cancel();
      if (code === 0) resolve(output);
      else fail(`failed (${killedBy ?? `exit ${code}`}): ${complaints.trim() || 'it printed no reason'}`);
    });
  });
}

interface ExecCredential {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

function decode(output: string, plugin: ExecPlugin, describe: string): { credentials: Credentials; until: number } {
  const fail = (why: string) => new Error(`${describe}: exec plugin "${plugin.command}" ${why}`);
  let answer: ExecCredential;
  try {
    answer = JSON.parse(output) as ExecCredential;
  } catch {
    // The output may hold a secret, so it is not shown.
    throw fail('did not print JSON');
  }
  if (answer?.kind !== 'ExecCredential') throw fail('did not print an ExecCredential');
  if (answer.apiVersion !== plugin.apiVersion) {
    throw fail(`answered with apiVersion "${String(answer.apiVersion)}", but "${plugin.apiVersion}" was asked for`);
  }
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = answer.status ?? {};
  if (!token && !(cert && key)) throw fail('printed neither a token nor a client certificate with its key');
  const until = expirationTimestamp ? parseTime(expirationTimestamp) - renewBefore : Number.POSITIVE_INFINITY;
  return { credentials: { ...(token ? { token } : {}), ...(cert && key ? { cert, key } : {}) }, until };
}
