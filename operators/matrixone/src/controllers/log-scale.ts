import type { Pod } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { formatTime, parseDuration, parseTime } from '@coxswain/runtime/core';
import { ANNOTATION_SCALED_IN_AT, type LogSetSpec } from '../api/index.ts';
import { storeOrdinals } from '../config/index.ts';
import { reservedOrdinals } from './ordinals.ts';
import { isPodReady, ordinalOf } from './store-status.ts';

/** How many log stores there shall be now. */
export interface LogScale {
  readonly replicas: number;
  /** When a store was last taken away; kept with the workload. */
  readonly scaledInAt?: string;
  /** Whether the volumes of stores that go must stay: they may hold replicas that are nowhere else yet. */
  readonly keepsClaims: boolean;
  /** How many stores, counted from the lowest ordinal, a rollout leaves as they are for now. */
  readonly partition?: number;
  /** What the next step waits for; absent when none is to come. */
  readonly waits?: string;
  /** Milliseconds until it is worth looking again. */
  readonly after?: number;
}

/**
 * The next step from the live number of log stores to the wanted one. More come at once. They go one at a time: each only while all others
 * are up, and once the one before has been gone for as long as a store may be down, so that HAKeeper has put its replicas on others.
 * To nothing is a pause, at once.
 * @param since milliseconds since a moment; default by `now`
 * @param objection what the next store that would go now waits for
 */
export function scaleLogStores(
  spec: Pick<LogSetSpec, 'replicas' | 'storeFailureTimeout'>,
  live: KruiseStatefulSet | undefined,
  pods: readonly Pod[],
  now: number,
  since: (at: string) => number = (at) => now - parseTime(at),
  objection?: string,
): LogScale {
  const wanted = spec.replicas;
  const present = live?.spec.replicas ?? wanted;
  const last = live?.metadata.annotations?.[ANNOTATION_SCALED_IN_AT];
  const kept = last === undefined ? {} : { scaledInAt: last };
  const going = surplus(live, pods, Math.min(wanted, present)).length > 0;
  if (wanted >= present || wanted === 0) {
    return { replicas: wanted, ...kept, keepsClaims: wanted === 0 || going };
  }
  const stays = { replicas: present, ...kept, keepsClaims: true };
  const settled = storeOrdinals(present, reservedOrdinals(live)).every((ordinal) =>
    pods.some((pod) => ordinalOf(pod.metadata.name) === ordinal && isPodReady(pod)),
  );
  if (!settled || surplus(live, pods, present).length > 0) {
    return { ...stays, waits: 'a log store is taken away only while all others are up' };
  }
  const pause = parseDuration(spec.storeFailureTimeout ?? '10m');
  const after = last === undefined ? 0 : pause - since(last);
  if (after > 0) return { ...stays, after, waits: 'log stores are taken away one at a time' };
  if (objection !== undefined) return { ...stays, waits: objection };
  const scaledInAt = formatTime(now);
  const more = present - 1 > wanted ? { waits: 'log stores are taken away one at a time', after: pause } : {};
  return { replicas: present - 1, scaledInAt, keepsClaims: true, ...more };
}

/** Pods beyond so many stores, but for those that a failover replaced. */
function surplus(live: KruiseStatefulSet | undefined, pods: readonly Pod[], replicas: number): readonly Pod[] {
  const reserved = new Set(reservedOrdinals(live));
  const wanted = new Set(storeOrdinals(replicas, [...reserved]));
  return pods.filter(({ metadata }) => {
    const ordinal = ordinalOf(metadata.name);
    return !wanted.has(ordinal) && !reserved.has(ordinal);
  });
}
