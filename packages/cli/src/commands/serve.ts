import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type Cluster,
  type ClusterOptions,
  DataDirError,
  KeysError,
  ListenError,
  NetworkError,
  startCluster,
} from '@coxswain/cluster';
import type { Logger } from '@coxswain/runtime/core';
import { UsageError } from '../errors.ts';
import { claimName } from '../state/claim.ts';
import { checkDataDir } from '../state/data-dir.ts';
import { makeClusterHome } from '../state/home.ts';
import { contextName, writeKubeconfig } from '../state/kubeconfig-file.ts';
import { processStart, type RunningCluster, removeProcessFile, writeProcessFile } from '../state/process-file.ts';
import { type ClusterFlags, defaultNodes } from './options.ts';

/** A cluster that serves HTTPS, known by its name, and the kubeconfig that was written for it. */
export interface ServedCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly running: RunningCluster;
}

function simulatedNodes({ nodes, processNodes = 0 }: ClusterFlags): Pick<ClusterOptions, 'nodes' | 'keepNodes'> {
  if (nodes !== undefined) return { nodes };
  return { nodes: processNodes > 0 ? 0 : defaultNodes, keepNodes: true };
}

/** Errors whose messages say what to do. */
const helpful = [ListenError, DataDirError, KeysError, NetworkError] as const;

async function start(flags: ClusterFlags, log: Logger): Promise<Cluster> {
  try {
    return await startCluster({
      port: flags.port,
      ...simulatedNodes(flags),
      ...(flags.processNodes ? { processNodes: flags.processNodes } : {}),
      ...(flags.podNetwork ? { podNetwork: flags.podNetwork } : {}),
      ...(flags.podNetworkCidr === undefined ? {} : { podCIDR: flags.podNetworkCidr }),
      ...(flags.images ? { images: flags.images.map((folder) => resolve(folder)) } : {}),
      fsync: flags.fsync,
      kruise: flags.kruise !== false,
      log,
      ...(flags.dataDir === undefined ? {} : { dataDir: resolve(flags.dataDir) }),
    });
  } catch (error) {
    if (helpful.some((sort) => error instanceof sort) && error instanceof Error)
      throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Writes the kubeconfig: where it was asked for, where it stays; or in the cluster's home, from where it goes with the cluster. */
async function kubeconfigOf(
  cluster: Cluster,
  flags: ClusterFlags,
  home: string,
  stack: AsyncDisposableStack,
): Promise<string> {
  const path = flags.kubeconfig === undefined ? join(home, 'kubeconfig') : resolve(flags.kubeconfig);
  await writeKubeconfig(path, flags.name, cluster.kubeconfig({ name: contextName(flags.name) }));
  if (flags.kubeconfig === undefined) stack.defer(() => rm(path, { force: true }));
  return path;
}

/**
 * Starts an embedded cluster as the flags say, writes its kubeconfig, and makes it known by its name until it is disposed of.
 * @throws UsageError for a name that is taken, a port or data-dir that cannot be used; nothing is left running then
 */
export async function serveCluster(flags: ClusterFlags, log: Logger): Promise<ServedCluster> {
  if (flags.dataDir !== undefined) await checkDataDir(resolve(flags.dataDir));
  const home = makeClusterHome(flags.name);
  await using started = new AsyncDisposableStack();
  const claim = await claimName(home, flags.name, log);
  started.defer(() => claim.release());
  const cluster = started.use(await start(flags, log));
  const kubeconfig = await kubeconfigOf(cluster, flags, home, started);
  const running: RunningCluster = {
    pid: process.pid,
    started: await processStart(process.pid),
    url: cluster.url ?? '',
    kubeconfig,
    ...(flags.dataDir === undefined ? {} : { dataDir: resolve(flags.dataDir) }),
  };
  await writeProcessFile(home, running);
  started.defer(() => removeProcessFile(home));
  const disposal = started.move();
  return { cluster, running, [Symbol.asyncDispose]: () => disposal.disposeAsync() };
}
