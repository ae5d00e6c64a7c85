import { chmod, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Cluster, DataDirError, KeysError, ListenError, makeDirectory, startCluster } from '@coxswain/cluster';
import type { Logger } from '@coxswain/runtime/core';
import { messageOf, UsageError } from '../errors.ts';
import { claimName } from '../state/claim.ts';
import { clusterHome } from '../state/home.ts';
import type { ClusterFlags } from './options.ts';

/** A cluster that serves HTTPS, and the kubeconfig that was written for it. */
export interface ServedCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly url: string;
  readonly kubeconfig: string;
  /** Folder of what belongs to this cluster besides its data. */
  readonly home: string;
}

async function start(flags: ClusterFlags, log: Logger): Promise<Cluster> {
  try {
    return await startCluster({
      port: flags.port,
      nodes: flags.nodes,
      fsync: flags.fsync,
      log,
      ...(flags.dataDir === undefined ? {} : { dataDir: resolve(flags.dataDir) }),
    });
  } catch (error) {
    // their messages say what to do
    if (error instanceof ListenError || error instanceof DataDirError || error instanceof KeysError)
      throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

async function writeKubeconfig(path: string, text: string): Promise<void> {
  try {
    makeDirectory(dirname(path));
    await writeFile(path, text, { mode: 0o600 });
    await chmod(path, 0o600);
  } catch (error) {
    throw new UsageError(
      `cannot write the kubeconfig ${path}: ${messageOf(error)}; choose another place with --kubeconfig`,
      { cause: error },
    );
  }
}

/**
 * Starts an embedded cluster as the flags say and writes its kubeconfig.
 * @throws UsageError for a name that is taken, a port or data-dir that cannot be used; nothing is left running then
 */
export async function serveCluster(flags: ClusterFlags, log: Logger): Promise<ServedCluster> {
  const home = await clusterHome(flags.name);
  await using started = new AsyncDisposableStack();
  const claim = claimName(home, flags.name, log);
  started.defer(() => claim.release());
  const cluster = started.use(await start(flags, log));
  const kubeconfig = resolve(flags.kubeconfig ?? join(home, 'kubeconfig'));
  await writeKubeconfig(kubeconfig, cluster.kubeconfig());
  const running = started.move();
  return { cluster, url: cluster.url ?? '', kubeconfig, home, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
