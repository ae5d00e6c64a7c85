import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../core/index.ts';
import type { Connection } from './connection.ts';
import { inClusterConnection } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';

/** Where `defaultConnection` looks. */
export interface DefaultConnectionOptions {
  /** `KUBECONFIG`, `HOME`, the address of the cluster a pod runs in, proxies; exec plugins run in it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A kubeconfig that a flag named: goes before all else. */
  readonly path?: string;
  /** A kubeconfig's context; with one, the cluster we may run in is passed over. */
  readonly context?: string;
  /** Where a pod finds its service account; default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly directory?: string;
  readonly clock?: Clock;
}

/**
 * The connection that Kubernetes programs take when nothing more is said, in controller-runtime's order: the kubeconfig of
 * the flag, those that `KUBECONFIG` lists, the cluster we run in, `~/.kube/config`. The first that is there must be right.
 * @throws Error saying what was looked for when there is none
 */
export async function defaultConnection(options: DefaultConnectionOptions): Promise<Connection> {
  const { env, context, directory, clock } = options;
  const common = { env, ...(clock ? { clock } : {}) };
  const load = (path: string) => loadKubeconfig({ ...common, path, ...(context === undefined ? {} : { context }) });

  const named = options.path || env.KUBECONFIG;
  if (named) return load(named);
  const tried: string[] = [];
  if (context === undefined) {
    try {
      return await inClusterConnection({ ...common, ...(directory === undefined ? {} : { directory }) });
    } catch (error) {
      tried.push((error as Error).message);
    }
  }
  // On Windows the home directory has another name.
  const home = env.HOME || env.USERPROFILE;
  const path = home && join(home, '.kube', 'config');
  if (path && (await exists(path))) return load(path);
  tried.push(path ? `there is no ${path}` : 'HOME is not set');
  throw new Error(
    `no cluster to connect to: KUBECONFIG is not set; ${tried.join('; ')}. Set KUBECONFIG to a kubeconfig`,
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
