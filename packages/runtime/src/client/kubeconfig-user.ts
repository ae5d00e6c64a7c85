import type { Clock } from '../core/index.ts';
import type { CredentialSource, Credentials } from './connection.ts';
import { type CredentialFiles, fileCredentials, mergedCredentials, staticCredentials } from './credentials.ts';
import { type ExecPlugin, execCredentials } from './exec-credentials.ts';
import type { Impersonation } from './impersonation.ts';
import type { Entry } from './kubeconfig-document.ts';
import { proxyFromEnvironment } from './proxy-from-environment.ts';

export interface UserOptions {
  readonly cluster: Entry;
  /** Where the cluster's authority comes from. */
  readonly trust: readonly CredentialSource[];
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Inline data wins over files, and whatever else there is over a plugin, as in client-go. */
export function userCredentials(user: Entry, options: UserOptions): readonly CredentialSource[] {
  const { clock, env } = options;
  if (user.optionalObject('auth-provider')) {
    throw new Error(`${user.where}: auth-provider is no longer supported by Kubernetes; use an exec plugin or a token`);
  }
  const cert = user.optionalBase64('client-certificate-data');
  const key = user.optionalBase64('client-key-data');
  const certFile = cert === undefined ? user.optionalPath('client-certificate') : undefined;
  const keyFile = key === undefined ? user.optionalPath('client-key') : undefined;
  if ((cert ?? certFile) !== undefined && (key ?? keyFile) === undefined)
    throw user.missing('client-key-data or client-key');
  if ((key ?? keyFile) !== undefined && (cert ?? certFile) === undefined) {
    throw user.missing('client-certificate-data or client-certificate');
  }
  const tokenFile = user.optionalPath('tokenFile');
  const token = user.optionalText('token');
  const [username, password] = [user.optionalText('username'), user.optionalText('password')];
  if (username !== undefined && (token ?? tokenFile) !== undefined) {
    throw new Error(`${user.where}: both a token and a username are set; only one of them can be presented`);
  }
  const inline: Credentials = {
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(token === undefined || tokenFile ? {} : { token }),
    ...(username === undefined ? {} : { username, password: password ?? '' }),
  };
  const files: CredentialFiles = {
    ...(certFile ? { cert: certFile } : {}),
    ...(keyFile ? { key: keyFile } : {}),
    ...(tokenFile ? { token: tokenFile } : {}),
  };
  const sources = [staticCredentials(inline)];
  if (Object.keys(files).length > 0) sources.push(fileCredentials(files, clock, user.where));
  const exec = user.optionalObject('exec');
  if (exec) {
    const plugin = pluginOf(exec, options);
    const hasOthers = [cert, certFile, token, tokenFile, username].some((value) => value !== undefined);
    if (!hasOthers) sources.push(execCredentials(plugin, { clock, env, describe: user.where }));
  }
  return sources;
}

/** Whom the user acts as: `as`, `as-uid`, `as-groups`, `as-user-extra`. */
export function impersonationOf(user: Entry): Impersonation | undefined {
  const name = user.optionalText('as');
  const uid = user.optionalText('as-uid');
  const groups = user.texts('as-groups');
  const extra = user.optionalObject('as-user-extra');
  if (name === undefined) {
    if (uid === undefined && groups.length === 0 && !extra) return undefined;
    throw new Error(`${user.where}: as-uid, as-groups and as-user-extra need a user to act as, in the field "as"`);
  }
  return {
    user: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra ? { extra: Object.fromEntries(extra.names().map((key) => [key, extra.texts(key)])) } : {}),
  };
}

function pluginOf(exec: Entry, options: UserOptions): ExecPlugin {
  const apiVersion = exec.text('apiVersion');
  if (!/^client\.authentication\.k8s\.io\/v1(beta1)?$/.test(apiVersion)) {
    throw new Error(`${exec.where}: apiVersion "${apiVersion}" is not supported; use client.authentication.k8s.io/v1`);
  }
  const mode = exec.optionalText('interactiveMode') ?? 'IfAvailable';
  if (mode === 'Always') {
    throw new Error(`${exec.where}: the plugin wants a terminal (interactiveMode: Always), which there is none of`);
  }
  if (mode !== 'IfAvailable' && mode !== 'Never') {
    throw new Error(`${exec.where}: interactiveMode must be Never, IfAvailable or Always, not "${mode}"`);
  }
  const installHint = exec.optionalText('installHint');
  const env = exec.objects('env').map((variable) => [variable.text('name'), variable.optionalText('value') ?? '']);
  return {
    apiVersion,
    command: exec.command(),
    args: exec.texts('args'),
    env: Object.fromEntries(env),
    ...(installHint ? { installHint } : {}),
    ...(exec.optionalBoolean('provideClusterInfo') ? { cluster: () => clusterInfo(options) } : {}),
  };
}

/** `Cluster` of client.authentication.k8s.io. */
async function clusterInfo({ cluster, trust, env }: UserOptions): Promise<Readonly<Record<string, unknown>>> {
  const server = cluster.text('server');
  const { ca } = await mergedCredentials(trust).current();
  const config = cluster
    .objects('extensions')
    .find((extension) => extension.optionalText('name') === 'client.authentication.k8s.io/exec')
    ?.value('extension');
  return {
    server,
    'tls-server-name': cluster.optionalText('tls-server-name'),
    'insecure-skip-tls-verify': cluster.optionalBoolean('insecure-skip-tls-verify') || undefined,
    'certificate-authority-data': ca && Buffer.from(ca, 'utf8').toString('base64'),
    'proxy-url': cluster.optionalText('proxy-url') ?? proxyFromEnvironment(server, env),
    'disable-compression': cluster.optionalBoolean('disable-compression') || undefined,
    config: config ?? undefined,
  };
}
