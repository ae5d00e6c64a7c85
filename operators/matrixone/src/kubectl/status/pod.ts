import type { ContainerStatus, Pod } from '@coxswain/k8s';
import { parseTime } from '@coxswain/runtime/core';
import { KRUISE_LIFECYCLE_STATE, MAIN_CONTAINER } from '../../api/index.ts';
import { age } from '../text.ts';
import { known } from './node.ts';

/** Reasons for which a container waits that are no trouble. */
const onItsWay: ReadonlySet<string | undefined> = new Set([undefined, '', 'ContainerCreating', 'PodInitializing']);

/** What keeps a pod from being ready, in words of Kubernetes; `undefined` when nothing is known to. */
export function podTrouble({ status, metadata }: Pod): string | undefined {
  if (metadata.deletionTimestamp) return undefined;
  const unscheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
  if (unscheduled) return `not scheduled: ${unscheduled.message || unscheduled.reason || 'no reason is given'}`;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const container of containers) {
    const trouble = containerTrouble(container);
    if (trouble) return `container ${container.name}: ${trouble}`;
  }
  return status?.phase === 'Failed' ? `failed: ${status.message || status.reason || 'no reason is given'}` : undefined;
}

function containerTrouble({ state, lastState }: ContainerStatus): string | undefined {
  const ended = state?.terminated ?? lastState?.terminated;
  const exit =
    ended && ended.exitCode !== 0 ? `ended with ${ended.exitCode}${ended.reason ? ` (${ended.reason})` : ''}` : '';
  if (state?.terminated) return exit || undefined;
  if (!state?.waiting || onItsWay.has(state.waiting.reason)) return undefined;
  const { reason = '', message } = state.waiting;
  return [reason, exit, message].filter(Boolean).join(', ');
}

/** The image a pod's main program runs, its tag alone where that says enough. */
export function imageOf({ spec }: Pod): string | undefined {
  const containers = spec?.containers ?? [];
  return (containers.find(({ name }) => name === MAIN_CONTAINER) ?? containers[0])?.image;
}

/** `v2.1.0` of `docker.io/matrixorigin/matrixone:v2.1.0`; the whole when it has no tag. */
export function versionOf(image: string | undefined): string | undefined {
  if (!image) return undefined;
  return /:([^/:@]+)(?:@.*)?$/.exec(image)?.[1] ?? image;
}

export function restarts({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
}

/** What OpenKruise is doing with a pod; `undefined`: nothing. */
export function lifecycle({ metadata, status }: Pod): string | undefined {
  const state = metadata.labels?.[KRUISE_LIFECYCLE_STATE];
  if (state && state !== 'Normal') return state;
  const gate = status?.conditions?.find(({ type }) => type === 'InPlaceUpdateReady');
  return gate?.status === 'False' ? gate.reason || 'InPlaceUpdate' : undefined;
}

function isSameRepository(a: string, b: string): boolean {
  const repository = (image: string) => image.replace(/(:[^/:@]+)?(@.*)?$/, '');
  return repository(a) === repository(b);
}

/** What is told of every pod. @param wanted the image its set wants */
export function podFacts(pod: Pod, wanted?: string): ReturnType<typeof known> {
  const image = imageOf(pod);
  return known({
    version: versionOf(image),
    image,
    ...(wanted && image && wanted !== image
      ? { becomes: isSameRepository(wanted, image) ? versionOf(wanted) : wanted }
      : {}),
    restarts: restarts(pod) || undefined,
    node: pod.spec?.nodeName,
    ip: pod.status?.podIP,
  });
}

/** Milliseconds since a time that others wrote; `undefined` when it is missing or no time. */
export function elapsed(since: string | undefined, now: number): number | undefined {
  if (since === undefined) return undefined;
  try {
    return now - parseTime(since);
  } catch {
    return undefined;
  }
}

/** ` for 5m`, with the space before it; empty when since when is not known. */
export function lasting(since: string | undefined, now: number): string {
  const ms = elapsed(since, now);
  return ms === undefined ? '' : ` for ${age(ms)}`;
}
