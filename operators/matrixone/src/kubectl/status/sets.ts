import type { Pod } from '@coxswain/k8s';
import { keyString } from '@coxswain/runtime/core';
import {
  type CNSet,
  type DNSet,
  LABEL_COMPONENT,
  LABEL_INSTANCE,
  LABEL_LOGSET_OWNER,
  type LogSet,
  logSetNames,
  type ProxySet,
  type SetKind,
  type WebUI,
} from '../../api/index.ts';
import { counted } from '../text.ts';
import type { Collected } from './collect.ts';
import { computeNode } from './compute.ts';
import { healthOf, known, notes, type StatusNode } from './node.ts';
import { podTrouble, versionOf } from './pod.ts';
import { podNode, storeNodes } from './stores.ts';

type AnySet = LogSet | DNSet | CNSet | ProxySet | WebUI;

/** Pods of a set that do not know themselves by an ordinal, and what they are called when they are ready. */
export function podsOf({ pods }: Pick<Collected, 'pods'>, kind: SetKind, { metadata }: AnySet): readonly Pod[] {
  return pods
    .filter(
      ({ metadata: { namespace, labels } }) =>
        namespace === metadata.namespace &&
        labels?.[LABEL_COMPONENT] === kind &&
        labels[LABEL_INSTANCE] === metadata.name,
    )
    .toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true }));
}

/** A set with what all sets have in common. */
function setNode(
  { podsUnread }: Pick<Collected, 'podsUnread'>,
  kind: SetKind,
  set: AnySet,
  children: readonly StatusNode[],
  more: readonly string[] = [],
  facts: Parameters<typeof known>[0] = {},
): StatusNode {
  const { name, namespace, deletionTimestamp } = set.metadata;
  const conditions = notes(set, set.status?.conditions);
  const { image, replicas = 1 } = set.spec ?? {};
  // of stores the status of their set tells, of others their pods alone
  const isKnown = !podsUnread || children.length > 0;
  const up = children.filter(({ health }) => health === 'ok').length;
  const surplus = Math.max(0, up - replicas);
  const told = healthOf(set.status?.conditions, conditions);
  const isBehind = told === 'ok' && isKnown && up < replicas;
  const summary = [
    isKnown ? `${up}/${replicas} up` : `${counted(replicas, 'pod')} wanted`,
    ...(isBehind ? ['though its conditions say that all is well: does the operator run?'] : []),
    ...(surplus > 0
      ? [`${counted(surplus, 'pod')} more than wanted, until the others have been ready for a while`]
      : []),
    ...(versionOf(image) ? [`${versionOf(image)}`] : []),
    ...more,
    ...(deletionTimestamp ? ['is being deleted'] : []),
  ];
  // a rollout is over when the pod that was made for it is gone again, which upstream's Synced does not wait for
  const health = deletionTimestamp || isBehind || (surplus > 0 && told === 'ok') ? 'waiting' : told;
  return {
    kind,
    name,
    ...(namespace ? { namespace } : {}),
    health,
    summary: summary.join(', '),
    facts: known({ up: isKnown ? up : undefined, replicas, image, version: versionOf(image), ...facts }),
    conditions,
    children,
  };
}

export function logSetNode(found: Collected, set: LogSet, now: number): StatusNode {
  const { namespace, name } = set.metadata;
  const { availableStores: available = [], failedStores: failed = [] } = set.status ?? {};
  const stores = storeNodes({
    available,
    failed,
    pods: podsOf(found, 'LogSet', set),
    podsUnread: found.podsUnread,
    image: set.spec.image,
    now,
  });
  const orphans = found.pods.filter(
    ({ metadata }) => metadata.namespace === namespace && metadata.labels?.[LABEL_LOGSET_OWNER] === name,
  );
  const kept = orphans.map((pod) => podNode(pod.metadata.name, pod, 'info', 'replaced'));
  const workload = found.statefulSets.find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === logSetNames(name).workload,
  );
  const reserved = workload?.spec.reserveOrdinals?.join(', ');
  const more = reserved ? [`replaced ordinals ${reserved}`] : [];
  return setNode(found, 'LogSet', set, [...stores, ...kept], more, { reservedOrdinals: reserved });
}

export function dnSetNode(found: Collected, set: DNSet, now: number): StatusNode {
  const { availableStores: available = [], failedStores: failed = [] } = set.status ?? {};
  return setNode(
    found,
    'DNSet',
    set,
    storeNodes({
      available,
      failed,
      pods: podsOf(found, 'DNSet', set),
      podsUnread: found.podsUnread,
      image: set.spec.image,
      now,
    }),
  );
}

export function cnSetNode(found: Collected, set: CNSet, now: number): StatusNode {
  const nodes = podsOf(found, 'CNSet', set).map((pod) => computeNode(pod, set, now));
  const sessions = nodes.reduce((sum, { facts }) => sum + Number(facts['sessions'] ?? 0), 0);
  const isNoted = nodes.some(({ facts }) => facts['sessions'] !== undefined);
  const more = [
    ...(isNoted ? [`${sessions} session${sessions === 1 ? '' : 's'}`] : []),
    ...(set.spec.pauseUpdate ? ['updates are paused'] : []),
  ];
  return setNode(found, 'CNSet', set, nodes, more, { sessions: isNoted ? sessions : undefined });
}

/** Proxies, or the dashboard: pods that are all alike. */
export function plainSetNode(found: Collected, kind: 'ProxySet' | 'WebUI', set: ProxySet | WebUI): StatusNode {
  const nodes = podsOf(found, kind, set).map((pod) => {
    const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
    const isUp = isReady && !pod.metadata.deletionTimestamp;
    const state = isUp ? 'Up' : 'not ready';
    return podNode(
      pod.metadata.name,
      pod,
      isUp ? 'ok' : podTrouble(pod) ? 'failed' : 'waiting',
      state,
      set.spec?.image,
    );
  });
  return setNode(found, kind, set, nodes);
}

/** `namespace/name` of a set. */
export function titleOf(set: AnySet): string {
  return keyString({ namespace: set.metadata.namespace ?? '', name: set.metadata.name });
}
