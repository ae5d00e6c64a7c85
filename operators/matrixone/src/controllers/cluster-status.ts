import type { KubeObject } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { conditionsOf, isReady, isTrueAt } from '@coxswain/runtime/apply';
import type { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet, WebUI } from '../api/index.ts';
import { silenceOf } from './log-silence.ts';
import { CONDITION_PODS_FAILING } from './report-trouble.ts';

/** The sets of a cluster as they are now, the groups in the order they are declared. */
export interface ClusterSets {
  readonly log: LogSet;
  readonly dn: DNSet;
  readonly groups: readonly CNSet[];
  readonly proxy?: ProxySet;
  /** No part of what makes a cluster ready: it is served without. */
  readonly webui?: WebUI;
}

/** First of the given that does not hold, in the order in which a cluster comes up. */
function firstFailing(
  sets: ClusterSets,
  holds: (set: KubeObject) => boolean,
  reasons: { readonly log: string; readonly dn: string; readonly cn: string; readonly proxy: string },
): { readonly reason: string; readonly set: KubeObject } | undefined {
  if (!holds(sets.log)) return { reason: reasons.log, set: sets.log };
  if (!holds(sets.dn)) return { reason: reasons.dn, set: sets.dn };
  const group = sets.groups.find((set) => !holds(set));
  if (group) return { reason: reasons.cn, set: group };
  return sets.proxy && !holds(sets.proxy) ? { reason: reasons.proxy, set: sets.proxy } : undefined;
}

const notReady = {
  log: 'LogServiceNotReady',
  dn: 'DNSetNotReady',
  cn: 'SomeCNSetsAreNotReady',
  proxy: 'ProxySetNotReady',
};
const notSynced = {
  log: 'LogServiceNotSynced',
  dn: 'DNSetNotSynced',
  cn: 'SomeCNSetsAreNotSynced',
  proxy: 'ProxyNotSynced',
};

function isSynced(set: KubeObject): boolean {
  return isTrueAt(set, 'Synced');
}

/** What a set itself says about a condition that does not hold. */
function saidBy(set: KubeObject & { readonly status?: ClusterSets['log']['status'] }, type: string): string {
  const told = (wanted: string) => set.status?.conditions?.find((candidate) => candidate.type === wanted);
  // One that waits for another has nothing to say of itself yet, but of whom it waits for.
  const condition = told(type) ?? told('Synced');
  // One that holds all the same was said of an older spec.
  const known = condition?.status === 'True' ? 'its newest spec is not worked on yet' : condition?.message;
  const why = known || condition?.reason || 'nothing is known yet';
  const failing = told(CONDITION_PODS_FAILING)?.message;
  return `${set.kind} ${set.metadata.name}: ${why}${failing && failing !== why ? `; ${failing}` : ''}`;
}

/** That nothing is heard of HAKeeper: sets may be ready all the same. */
function silenceSaidBy(log: LogSet): readonly string[] {
  const silence = silenceOf(log);
  return silence === undefined ? [] : [`LogSet ${log.metadata.name}: ${silence}`];
}

/** Tells what keeps pods from getting ready, once for each cause. */
function tellFailing(
  { conditions, event }: ActorContext<MatrixOneCluster>,
  type: string,
  failing: { readonly reason: string; readonly set: KubeObject } | undefined,
): void {
  if (!failing || !conditionsOf(failing.set).some((condition) => condition.type === CONDITION_PODS_FAILING)) return;
  const message = saidBy(failing.set, type);
  if (!conditions.get(type)?.message?.startsWith(message)) event({ type: 'Warning', reason: failing.reason, message });
}

function setConditions(context: ActorContext<MatrixOneCluster>, sets: ClusterSets, hasFailed: boolean): boolean {
  const { conditions, status } = context;
  const unready = firstFailing(sets, isReady, notReady);
  const unsynced = hasFailed ? undefined : firstFailing(sets, isSynced, notSynced);
  tellFailing(context, unready ? 'Ready' : 'Synced', unready ?? unsynced);
  const withSilence = (message: string) => [message, ...silenceSaidBy(sets.log)].join('; ');
  if (unready) conditions.set('Ready', 'False', unready.reason, withSilence(saidBy(unready.set, 'Ready')));
  else conditions.set('Ready', 'True', 'AllSetsReady', withSilence('all sets are ready'));
  if (unsynced) conditions.set('Synced', 'False', unsynced.reason, saidBy(unsynced.set, 'Synced'));
  else if (!hasFailed) conditions.set('Synced', 'True', 'AllSetsSynced', 'the object is synced');
  status.phase = unready ? 'NotReady' : 'Ready';
  return !unready;
}

/** Where clients connect: the proxies, else the first group that has nodes. */
function endpoint({ proxy, groups }: ClusterSets): { readonly host?: string; readonly port?: number } {
  if (proxy) return proxy.status ?? {};
  const serving = groups.find(({ spec }) => spec.replicas > 0) ?? groups[0];
  return serving?.status ?? {};
}

/**
 * Sums the sets up in the cluster's status.
 * @param hasFailed whether the pass ends with an error, which `Synced` tells of, since when it has
 */
export function reportCluster(context: ActorContext<MatrixOneCluster>, sets: ClusterSets, hasFailed = false): void {
  const { status } = context;
  const groups = sets.groups.map((set) => ({
    name: set.metadata.name,
    host: `${set.metadata.name}-cn.${set.metadata.namespace}`,
    ready: isReady(set),
    synced: isSynced(set),
  }));
  status.cnGroups = {
    desiredGroups: groups.length,
    readyGroups: groups.filter(({ ready }) => ready).length,
    syncedGroups: groups.filter(({ synced }) => synced).length,
    groups,
  };
  if (sets.log.status) status.logService = sets.log.status;
  if (sets.dn.status) status.dn = sets.dn.status;
  if (sets.proxy?.status) status.proxy = sets.proxy.status;
  else delete status.proxy;
  if (sets.webui?.status) status.webui = sets.webui.status;
  else delete status.webui;
  if (!setConditions(context, sets, hasFailed)) return;
  const { host, port } = endpoint(sets);
  if (host !== undefined) status.host = host;
  if (port !== undefined) status.port = port;
}
