import { readFile } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import { type Clock, systemClock } from '../core/index.ts';
import type { Connection, CredentialSource } from './connection.ts';
import { fileCredentials, mergedCredentials, staticCredentials } from './credentials.ts';
import { type Entry, type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './kubeconfig-document.ts';
import { impersonationOf, userCredentials } from './kubeconfig-user.ts';
import { proxyFromEnvironment } from './proxy-from-environment.ts';

/** Which kubeconfig is read, and which context of it. */
export interface KubeconfigOptions {
  /** One file, or several as `KUBECONFIG` lists them; the first to name something wins. */
  readonly path?: string;
  /** The content itself, instead of `path`. */
  readonly text?: string;
  /** Default: the `current-context`. */
  readonly context?: string;
  /**
   * Environment for exec plugins, and where `HTTPS_PROXY` and `NO_PROXY` are looked up when the cluster names no proxy.
   * Default: empty.
   */
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
  const proxy = proxyOf(cluster) ?? proxyFromEnvironment(server, env);
  const trust = clusterTrust(cluster, clock);
  const impersonation = user && impersonationOf(user);
  return {
    server,
    credentials: mergedCredentials([...trust, ...(user ? userCredentials(user, { cluster, trust, clock, env }) : [])]),
    namespace: context.optionalText('namespace') ?? 'default',
    ...(serverName ? { serverName } : {}),
    ...(cluster.optionalBoolean('insecure-skip-tls-verify') ? { insecure: true } : {}),
    ...(proxy ? { proxy } : {}),
    ...(cluster.optionalBoolean('disable-compression') ? { disableCompression: true } : {}),
    ...(impersonation ? { impersonation } : {}),
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
      const { code, message } = cause as NodeJS.ErrnoException;
      throw new Error(
        code === 'ENOENT'
          ? `cannot read kubeconfig ${file}: there is no such file; set KUBECONFIG, or the path given, to one that is there`
          : `cannot read kubeconfig ${file}: ${message}`,
      );
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

function proxyOf(cluster: Entry): string | undefined {
  const proxy = cluster.optionalText('proxy-url');
  if (proxy === undefined) return undefined;
  const protocol = URL.canParse(proxy) ? new URL(proxy).protocol : undefined;
  if (protocol && ['http:', 'https:', 'socks5:'].includes(protocol)) return proxy;
  // The address may hold a password, so it is not shown.
  throw new Error(`${cluster.where}: proxy-url must be a URL that begins with http://, https:// or socks5://`);
}
