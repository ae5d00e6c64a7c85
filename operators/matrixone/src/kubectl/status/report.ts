import type { KubeObject } from '@coxswain/k8s';
import { controllerOf } from '@coxswain/runtime/controller';
import {
  ANNOTATION_SKIP_SYNC,
  type BackupJob,
  type MatrixOneCluster,
  type RestoreJob,
  restoreJobName,
} from '../../api/index.ts';
import type { Collected } from './collect.ts';
import { backupNode, claimNode, jobNode } from './data.ts';
import { headline } from './headline.ts';
import { healthOf, known, notes, type StatusNode, type StatusReport } from './node.ts';
import { cnSetNode, dnSetNode, logSetNode, plainSetNode, titleOf } from './sets.ts';

/** What is told of: clusters, and sets that belong to none. @param name only those of this name */
export function reports(found: Collected, now: number, name?: string): readonly StatusReport[] {
  const isWanted = ({ metadata }: KubeObject) => name === undefined || metadata.name === name;
  const alone = <T extends KubeObject>(sets: readonly T[]) =>
    sets.filter((set) => isWanted(set) && controllerOf(set)?.kind !== 'MatrixOneCluster');
  const roots: readonly StatusNode[] = [
    ...found.clusters.filter(isWanted).map((cluster) => clusterNode(found, cluster, now)),
    ...setNodes(
      {
        ...found,
        logSets: alone(found.logSets),
        dnSets: alone(found.dnSets),
        cnSets: alone(found.cnSets),
        proxySets: alone(found.proxySets),
        webUIs: alone(found.webUIs),
      },
      now,
    ),
  ];
  return roots.map((root) => {
    const waitsFor = headline(root);
    return waitsFor === undefined ? root : { ...root, waitsFor };
  });
}

/** The sets in the order in which a cluster comes up. */
function setNodes(found: Collected, now: number): readonly StatusNode[] {
  return [
    ...found.logSets.map((set) => logSetNode(found, set, now)),
    ...found.dnSets.map((set) => dnSetNode(found, set, now)),
    ...found.cnSets.map((set) => cnSetNode(found, set, now)),
    ...found.proxySets.map((set) => plainSetNode(found, 'ProxySet', set)),
    ...found.webUIs.map((set) => plainSetNode(found, 'WebUI', set)),
  ];
}

function ownedBy<T extends KubeObject>({ metadata }: KubeObject, objects: readonly T[]): readonly T[] {
  return objects.filter((object) => controllerOf(object)?.uid === metadata.uid);
}

function clusterNode(found: Collected, cluster: MatrixOneCluster, now: number): StatusNode {
  const { metadata, spec, status } = cluster;
  const logSets = ownedBy(cluster, found.logSets);
  const own = {
    ...found,
    logSets,
    dnSets: ownedBy(cluster, found.dnSets),
    cnSets: ownedBy(cluster, found.cnSets),
    proxySets: ownedBy(cluster, found.proxySets),
    webUIs: ownedBy(cluster, found.webUIs),
  };
  const bound = new Set(logSets.map(titleOf));
  const claims = found.claims.filter((claim) => bound.has(claim.status?.bindTo ?? ''));
  const conditions = notes(cluster, status?.conditions);
  const sets = setNodes(own, now);
  const isLeaving = metadata.deletionTimestamp !== undefined;
  const told = healthOf(status?.conditions, conditions);
  // conditions are behind what the pods say, or nobody writes them any more
  const isBehind = told === 'ok' && isShort(own, now);
  const handsOff = Boolean(metadata.annotations?.[ANNOTATION_SKIP_SYNC]);
  const address = status?.host === undefined ? undefined : `${status.host}:${status.port}`;
  const summary = [
    isLeaving ? 'is being deleted' : (status?.phase ?? 'not known yet'),
    spec.version,
    ...(handsOff ? [`hands off (annotation ${ANNOTATION_SKIP_SYNC})`] : []),
    ...(address ? [address] : []),
  ];
  return {
    kind: 'MatrixOneCluster',
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    health: isLeaving || isBehind ? 'waiting' : told,
    summary: summary.join(', '),
    facts: known({
      phase: status?.phase,
      version: spec.version,
      operatorVersion: spec.operatorVersion,
      address,
      handsOff: handsOff || undefined,
      credentialSecret: status?.credentialRef?.name,
    }),
    conditions,
    children: [...sets, ...claims.map(claimNode), ...dataNodes(found, cluster, now)],
  };
}

/** Whether sets that a cluster is not ready without, so not its dashboard or what goes, have fewer pods up than they want. */
function isShort(own: Collected, now: number): boolean {
  const stays = ({ metadata }: KubeObject) => metadata.deletionTimestamp === undefined;
  const needed = { ...own, cnSets: own.cnSets.filter(stays), proxySets: own.proxySets.filter(stays), webUIs: [] };
  return setNodes(needed, now).some(({ facts: { up, replicas } }) => Number(up) < Number(replicas));
}

/** Backups and restores of a cluster, the newest first. */
function dataNodes(found: Collected, cluster: MatrixOneCluster, now: number): readonly StatusNode[] {
  const { name, namespace = '' } = cluster.metadata;
  const groups = new Set(ownedBy(cluster, found.cnSets).map((set) => set.metadata.name));
  const backupJobs = found.backupJobs.filter(
    ({ metadata, spec: { source } }: BackupJob) =>
      metadata.namespace === namespace && (source.clusterRef === name || groups.has(source.cnSetRef ?? '')),
  );
  const restoreJobs = found.restoreJobs.filter(
    ({ metadata }: RestoreJob) => metadata.namespace === namespace && metadata.name === restoreJobName(name),
  );
  const sources = new Set([
    `matrixonecluster/${namespace}/${name}`,
    ...[...groups].map((group) => `cnset/${namespace}/${group}`),
  ]);
  const backups = found.backups.filter(({ meta }) => sources.has(meta.sourceRef));
  return [
    ...newestFirst(restoreJobs).map((job) => jobNode('RestoreJob', job, now)),
    ...newestFirst(backupJobs).map((job) => jobNode('BackupJob', job, now)),
    ...newestFirst(backups).map((backup) => backupNode(backup, now)),
  ];
}

function newestFirst<T extends KubeObject>(objects: readonly T[]): readonly T[] {
  const made = ({ metadata }: T) => metadata.creationTimestamp ?? '';
  return objects.toSorted((a, b) => made(b).localeCompare(made(a)) || a.metadata.name.localeCompare(b.metadata.name));
}
