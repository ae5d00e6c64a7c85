import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../core/index.ts';
import type { Connection } from './connection.ts';
import { fileCredentials } from './credentials.ts';
import { proxyFromEnvironment } from './proxy-from-environment.ts';

/** Where a pod finds its server and its credentials. */
export interface InClusterOptions {
  /** Where `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT` are, and `HTTPS_PROXY` and `NO_PROXY` if any. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly directory?: string;
  readonly clock?: Clock;
}

/**
 * The connection of a pod to its own cluster, with its service account. Token and CA are read again as they rotate.
 * @throws Error when not in a pod, naming the missing variable or file
 */
export async function inClusterConnection(options: InClusterOptions): Promise<Connection> {
  const { env, directory = '/var/run/secrets/kubernetes.io/serviceaccount', clock = systemClock } = options;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) {
    const missing = host ? 'KUBERNETES_SERVICE_PORT' : 'KUBERNETES_SERVICE_HOST';
    throw new Error(`not running in a pod: the environment variable ${missing} is not set`);
  }
  const files = { token: join(directory, 'token'), ca: join(directory, 'ca.crt') };
  const credentials = fileCredentials(files, clock, 'service account');
  await credentials.current();
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const proxy = proxyFromEnvironment(server, env);
  return {
    server,
    credentials,
    ...(proxy ? { proxy } : {}),
    namespace: await readNamespace(join(directory, 'namespace')),
  };
}

async function readNamespace(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim() || 'default';
  } catch {
    return 'default';
  }
}
