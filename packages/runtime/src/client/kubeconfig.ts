import { readFile } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import { type Clock, systemClock } from '../core/index.ts';
import type { Connection, CredentialSource, Credentials } from './connection.ts';
import { type CredentialFiles, fileCredentials, mergedCredentials, staticCredentials } from './credentials.ts';
import { type ExecPlugin, execCredentials } from './exec-credentials.ts';
import { type Entry, type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './kubeconfig-document.ts';

export interface KubeconfigOptions {
  /** One file, or several as `KUBECONFIG` lists them; the first to name something wins. */
  readonly path?: string;
  /** The content itself, instead of `path`. */
  readonly text?: string;
  /** Default: the `current-context`. */
  readonly context?: string;
  /** Environment for exec plugins; default: none but what the plugin's entry says. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

/**
 * A connection from a kubeconfig. Files it names are read when the connection is first used, and again when they rotate.
 * @throws Error naming the file and the missing or wrong entry
 */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<Connection> {
  const config = await read(options);
  const { clock = systemClock, env = {} } = options;
  const name = options.context ?? config.currentContext;
  if (!name)
    throw new Error(
      `${config.source}: current-context is not set; name a context (there are: ${names(config.contexts)})`,
    );
  const context = entry(config.contexts, 'context', name, config.source);
  const cluster = entry(config.clusters, 'cluster', context.text('cluster'), context.where);
  const userName = context.optionalText('user');
  const user = userName ? entry(config.users, 'user', userName, context.where) : undefined;
  const server = cluster.text('server');
  if (!URL.canParse(server)) throw new Error(`${cluster.where}: server "${server}" is not a URL`);
  const serverName = cluster.optionalText('tls-server-name');
  const proxy = cluster.optionalText('proxy-url');
  return {
    server,
    credentials: mergedCredentials([
      ...clusterTrust(cluster, clock),
      ...(user ? userCredentials(user, cluster, clock, env) : []),
    ]),
    namespace: context.optionalText('namespace') ?? 'default',
    ...(serverName ? { serverName } : {}),
    ...(cluster.optionalBoolean('insecure-skip-tls-verify') ? { insecure: true } : {}),
    ...(proxy ? { proxy } : {}),
  };
}

async function read({ path, text }: KubeconfigOptions): Promise<Kubeconfig> {
  if (text !== undefined) return parseKubeconfig(text, 'kubeconfig', undefined);
  const paths = (path ?? '').split(delimiter).filter((part) => part !== '');
  if (paths.length === 0) throw new Error('no kubeconfig: neither a path nor its text was given');
  const documents: Kubeconfig[] = [];
  for (const file of paths) {
    let content: string;
    try {
      content = await readFile(file, 'utf8');
    } catch (cause) {
      // In a list, files that are not there are passed over, as kubectl does.
      if (paths.length > 1 && (cause as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw new Error(`cannot read kubeconfig ${file}: ${(cause as Error).message}`, { cause });
    }
    documents.push(await parseKubeconfig(content, `kubeconfig ${file}`, dirname(resolve(file))));
  }
  return mergeKubeconfigs(documents, `kubeconfig ${path}`);
}

function entry(entries: ReadonlyMap<string, Entry>, what: string, name: string, from: string): Entry {
  const found = entries.get(name);
  if (!found) throw new Error(`${from}: there is no ${what} "${name}" (there are: ${names(entries)})`);
  return found;
}

function names(entries: ReadonlyMap<string, Entry>): string {
  return [...entries.keys()].join(', ') || 'none';
}

function clusterTrust(cluster: Entry, clock: Clock): readonly CredentialSource[] {
  const inline = cluster.optionalBase64('certificate-authority-data');
  if (inline !== undefined) return [staticCredentials({ ca: inline })];
  const file = cluster.optionalPath('certificate-authority');
  return file ? [fileCredentials({ ca: file }, clock, cluster.where)] : [];
}

/** Inline data wins over files, and a token over a plugin, as in client-go. */
function userCredentials(
  user: Entry,
  cluster: Entry,
  clock: Clock,
  env: NonNullable<KubeconfigOptions['env']>,
): readonly CredentialSource[] {
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
  if (exec && token === undefined && !tokenFile) {
    sources.push(execCredentials(pluginOf(exec, cluster), { clock, env, describe: user.where }));
  }
  return sources;
}

function pluginOf(exec: Entry, cluster: Entry): ExecPlugin {
  const apiVersion = exec.text('apiVersion');
  if (!/^client\.authentication\.k8s\.io\/v1(beta1)?$/.test(apiVersion)) {
    throw new Error(`${exec.where}: apiVersion "${apiVersion}" is not supported; use client.authentication.k8s.io/v1`);
  }
  if (exec.optionalText('interactiveMode') === 'Always') {
    throw new Error(`${exec.where}: the plugin wants a terminal (interactiveMode: Always), which there is none of`);
  }
  const installHint = exec.optionalText('installHint');
  const info = {
    server: cluster.text('server'),
    'certificate-authority-data': cluster.optionalText('certificate-authority-data'),
    'tls-server-name': cluster.optionalText('tls-server-name'),
  };
  return {
    apiVersion,
    command: exec.command(),
    args: exec.texts('args'),
    env: Object.fromEntries(
      exec.objects('env').map((variable) => [variable.text('name'), variable.optionalText('value') ?? '']),
    ),
    ...(installHint ? { installHint } : {}),
    ...(exec.optionalBoolean('provideClusterInfo') ? { cluster: info } : {}),
  };
}
