import { type Kind, type KubeObject, Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { Client } from '@coxswain/runtime/client';
import { ApiError, isNotFound } from '@coxswain/runtime/core';
import {
  Backup,
  BackupJob,
  BucketClaim,
  CNSet,
  DNSet,
  LABEL_COMPONENT,
  LABEL_LOGSET_OWNER,
  LogSet,
  MatrixOneCluster,
  ProxySet,
  RestoreJob,
  WebUI,
} from '../../api/index.ts';

/** All that a status is made of. */
export interface Collected {
  readonly clusters: readonly MatrixOneCluster[];
  readonly logSets: readonly LogSet[];
  readonly dnSets: readonly DNSet[];
  readonly cnSets: readonly CNSet[];
  readonly proxySets: readonly ProxySet[];
  readonly webUIs: readonly WebUI[];
  readonly claims: readonly BucketClaim[];
  readonly backupJobs: readonly BackupJob[];
  readonly restoreJobs: readonly RestoreJob[];
  readonly backups: readonly Backup[];
  readonly statefulSets: readonly KruiseStatefulSet[];
  readonly pods: readonly Pod[];
  /** Pods could not be read, so that none is known to be gone. */
  readonly podsUnread?: true;
  /** What could not be read, and why: the status is told without it. */
  readonly unread: readonly string[];
}

/**
 * Reads a namespace, or all. What the user may not read, or the cluster does not serve, is left out and noted; without
 * MatrixOneClusters there is nothing to tell. @throws ApiError
 */
export async function collect(client: Client, namespace: string | undefined, signal: AbortSignal): Promise<Collected> {
  const unread: string[] = [];
  const where = namespace === undefined ? {} : { namespace };
  const list = async <T extends KubeObject>(kind: Kind<T>, labels?: string): Promise<T[]> => {
    const scope = kind.scope === 'Namespaced' ? where : {};
    // not Array.fromAsync: people's machines have Node 20, which has none
    const items: T[] = [];
    for await (const item of client.of(kind).listAll({ ...scope, ...(labels ? { labels } : {}), signal }))
      items.push(item);
    return items;
  };
  const tryList = async <T extends KubeObject>(kind: Kind<T>, labels?: string): Promise<T[] | undefined> => {
    try {
      return await list(kind, labels);
    } catch (error) {
      if (!(error instanceof ApiError) || !(error.code === 403 || isNotFound(error))) throw error;
      unread.push(isNotFound(error) ? `${kind.plural} are not served here` : error.message);
      return undefined;
    }
  };
  const read = async <T extends KubeObject>(kind: Kind<T>, labels?: string) => (await tryList(kind, labels)) ?? [];
  const [clusters, logSets, dnSets, cnSets, proxySets, webUIs] = await Promise.all([
    list(MatrixOneCluster),
    read(LogSet),
    read(DNSet),
    read(CNSet),
    read(ProxySet),
    read(WebUI),
  ]);
  const [claims, backupJobs, restoreJobs, backups, statefulSets, pods, orphans] = await Promise.all([
    read(BucketClaim),
    read(BackupJob),
    read(RestoreJob),
    read(Backup),
    read(KruiseStatefulSet, LABEL_COMPONENT),
    tryList(Pod, LABEL_COMPONENT),
    read(Pod, LABEL_LOGSET_OWNER),
  ]);
  const sets = { clusters, logSets, dnSets, cnSets, proxySets, webUIs };
  return {
    ...sets,
    claims,
    backupJobs,
    restoreJobs,
    backups,
    statefulSets,
    pods: [...(pods ?? []), ...orphans],
    ...(pods ? {} : { podsUnread: true as const }),
    unread: [...new Set(unread)],
  };
}
