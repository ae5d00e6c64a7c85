import type { KubeObject, Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { formatTime, parseTime } from '@coxswain/runtime/core';
import { crashOf } from './crash.ts';

/** A store as the status of its set tells it. */
export interface StoreStatus {
  readonly podName?: string;
  readonly phase?: string;
  readonly lastTransition?: string;
}

export interface StoresStatus {
  readonly availableStores?: readonly StoreStatus[];
  readonly failedStores?: readonly StoreStatus[];
}

export function isPodReady(pod: Pod): boolean {
  if (pod.metadata.deletionTimestamp) return false;
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/**
 * Whether the last runs of a pod's containers were short ones that failed, and those that go on now are too young to be any better. Without probes
 * such a pod is ready for a moment after each start, and would never have been down for long.
 */
function isCrashing({ status }: Pod, now: number): boolean {
  return (status?.containerStatuses ?? []).some((container) => {
    const crash = container.restartCount < 2 ? undefined : crashOf(container, now);
    return crash?.when === 'soon' && crash.end.exitCode !== 0;
  });
}

/**
 * Sorts the stores into those that are up and those that are not. A store is up while its pod is ready, and after crashes once it lasts; the time of
 * the last change is kept while the phase is.
 */
export function storesStatus(pods: readonly Pod[], before: StoresStatus, now: number): Required<StoresStatus> {
  const known = new Map<string | undefined, StoreStatus>();
  for (const store of [...(before.availableStores ?? []), ...(before.failedStores ?? [])])
    known.set(store.podName, store);
  const stores = pods
    .map((pod): StoreStatus => {
      const podName = pod.metadata.name;
      const last = known.get(podName);
      const isUp = isPodReady(pod) && !(last?.phase === 'Down' && isCrashing(pod, now));
      const phase = isUp ? 'Up' : 'Down';
      const kept = last?.phase === phase ? last.lastTransition : undefined;
      return { podName, phase, lastTransition: kept ?? formatTime(now) };
    })
    .sort(byOrdinal);
  return {
    availableStores: stores.filter(({ phase }) => phase === 'Up'),
    failedStores: stores.filter(({ phase }) => phase === 'Down'),
  };
}

/** By ordinal, and by name where pods have none: the order must not depend on that of the list. */
function byOrdinal({ podName: a = '' }: StoreStatus, { podName: b = '' }: StoreStatus): number {
  return ordinalOf(a) - ordinalOf(b) || (a < b ? -1 : 1);
}

/** The ordinal at the end of a pod's name; not a number when it has none. */
export function ordinalOf(podName: string | undefined): number {
  const digits = /-(\d+)$/.exec(podName ?? '')?.[1];
  return digits === undefined ? Number.NaN : Number(digits);
}

/** Milliseconds until a store will have been down for `timeout`; 0 or less when it has. */
export function untilFailed(store: StoreStatus, timeout: number, now: number): number {
  return store.lastTransition === undefined ? timeout : parseTime(store.lastTransition) + timeout - now;
}

/** Milliseconds within which what is made together is made. */
const together = 15_000;

/** Whether a store has been down only because its set starts: that it comes up then is no news. */
function isStarting(down: StoreStatus | undefined, pod: Pod | undefined, workload: KubeObject): boolean {
  const [made, since] = [pod?.metadata.creationTimestamp, down?.lastTransition];
  if (made === undefined || since === undefined) return false;
  const isFirst = parseTime(made) - parseTime(workload.metadata.creationTimestamp ?? made) < together;
  return isFirst && parseTime(since) - parseTime(made) < together;
}

/** Writes the stores of a set into its status, and tells of those that went down or came back, or up later than the set. */
export function updateStores(
  {
    event,
    status,
    clock,
  }: Pick<ActorContext<KubeObject>, 'event' | 'clock'> & { readonly status: Writable<StoresStatus> },
  pods: readonly Pod[],
  workload: KubeObject,
): Required<StoresStatus> {
  const known = [...(status.availableStores ?? []), ...(status.failedStores ?? [])];
  const before = new Map(known.map((store) => [store.podName, store]));
  const now = storesStatus(pods, status, clock.now());
  for (const { podName } of now.failedStores) {
    if (before.get(podName)?.phase === 'Up')
      event({ type: 'Warning', reason: 'StoreDown', message: `${podName} is down` });
  }
  for (const { podName } of now.availableStores) {
    const down = before.get(podName);
    const pod = pods.find(({ metadata }) => metadata.name === podName);
    if (down?.phase === 'Down' && !isStarting(down, pod, workload))
      event({ reason: 'StoreUp', message: `${podName} is up` });
  }
  status.availableStores = now.availableStores;
  status.failedStores = now.failedStores;
  return now;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
