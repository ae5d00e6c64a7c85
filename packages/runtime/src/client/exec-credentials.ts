import { spawn } from 'node:child_process';
import { type Clock, parseTime } from '../core/index.ts';
import type { CredentialSource, Credentials } from './connection.ts';
import { checkPems } from './credentials.ts';

/** A kubeconfig's `exec`: a program that prints credentials. */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What is told to a plugin that asks for it (`provideClusterInfo`), as of now. */
  readonly cluster?: () => Promise<Readonly<Record<string, unknown>>>;
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

/** Credentials are renewed so long before they expire; those that live shorter than twice as long, at half their time. */
const renewBefore = 60_000;

/** Credentials printed by a program, run when they are first needed, when they expire, and when the server refuses them. */
export function execCredentials(plugin: ExecPlugin, options: ExecOptions): CredentialSource {
  let known: { readonly credentials: Credentials; readonly until: number } | undefined;
  let running: Promise<Credentials> | undefined;

  async function renew(): Promise<Credentials> {
    const spec = { interactive: false, ...(plugin.cluster ? { cluster: await plugin.cluster() } : {}) };
    const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec });
    const { credentials, expires } = decode(await run(plugin, info, options), plugin, options.describe);
    const now = options.clock.now();
    known = { credentials, until: expires - Math.min(renewBefore, Math.max(0, expires - now) / 2) };
    return credentials;
  }

  return {
    current() {
      if (known && options.clock.now() < known.until) return Promise.resolve(known.credentials);
      running ??= renew().finally(() => {
        running = undefined;
      });
      return running;
    },
    refused(used) {
      // Of several calls that are refused at once, the first to come back has the plugin run, and the others share its answer.
      const { token, cert } = known?.credentials ?? {};
      if (used.token === token && used.cert === cert) known = undefined;
      return true;
    },
  };
}

function run(plugin: ExecPlugin, info: string, options: ExecOptions): Promise<string> {
  const { clock, env, describe, timeout = 30_000 } = options;
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

function decode(output: string, plugin: ExecPlugin, describe: string): { credentials: Credentials; expires: number } {
  const where = `${describe}: exec plugin "${plugin.command}"`;
  const fail = (why: string) => new Error(`${where} ${why}`);
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
  if (!token && !cert && !key) throw fail('printed neither a token nor a client certificate with its key');
  if (!cert !== !key) throw fail('printed only one of a client certificate and its key');
  const credentials = { ...(token ? { token } : {}), ...(cert && key ? { cert, key } : {}) };
  checkPems(credentials, where);
  return { credentials, expires: expirationTimestamp ? parseTime(expirationTimestamp) : Number.POSITIVE_INFINITY };
}
