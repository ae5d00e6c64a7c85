import type { ContainerStatus, Pod } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { parseTime } from '@coxswain/runtime/core';
import { CONDITION_CN_STORE, MAIN_CONTAINER } from '../api/index.ts';
import { pullCause } from '../pods/index.ts';
import { crashOf, isStartFailure, steadyAfter } from './crash.ts';
import { failedImage } from './pull-failure.ts';
import { isPodReady } from './store-status.ts';

/** Why a pod does not get ready by itself. `message` goes on after the pod's name and a colon, and stays the same while the trouble does. */
export interface PodTrouble {
  readonly reason: string;
  readonly message: string;
  /** Whether it may come of a storage that does not take the node: only the node's log knows. */
  readonly mayBeStorage?: true;
}

/** Milliseconds that are the normal course: of a scheduler that waits for volumes, and of a pod on its way up or down. */
const [schedulingTime, normalTime] = [10_000, steadyAfter];

/** What kubelets say of an image that they do not get. */
const pulling: ReadonlySet<string | undefined> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
]);
/** … and of a container that cannot be made. */
const making: ReadonlySet<string | undefined> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'StartError',
]);

/** Exit codes with which a node of MatrixOne ends by itself: by a fatal line, or by a panic. */
const ofService: ReadonlySet<number> = new Set([1, 2]);

/** Longest part of somebody else's words that is repeated. */
const longest = 300;

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** What is wrong with a pod, by what it says now alone; `undefined` when nothing is, or when it is only on its way. */
export function podTrouble(pod: Pod, now: number): PodTrouble | undefined {
  const { status = {}, metadata } = pod;
  if (metadata.deletionTimestamp) return leavingTrouble(pod, now);
  if (status.phase === 'Failed') {
    const why = cut([status.reason, status.message].filter(Boolean).join(': '));
    return { reason: 'PodFailed', message: `it has failed and is replaced${why && `: ${why}`}` };
  }
  return schedulingTrouble(pod, now) ?? containerTrouble(pod, now) ?? startTrouble(pod, now);
}

function leavingTrouble({ metadata, spec }: Pod, now: number): PodTrouble | undefined {
  // A draining node is told of in a condition of its own; a pod that its time of grace is up for is not draining.
  if (now - parseTime(metadata.deletionTimestamp ?? '') < normalTime) return undefined;
  const held = metadata.finalizers?.length ? `held by ${metadata.finalizers.join(', ')}` : undefined;
  const message = held ?? `node ${spec?.nodeName ?? ''} does not say that it has ended`;
  return { reason: 'StuckTerminating', message: `it is being deleted and does not go: ${message}` };
}

const conditionOf = ({ status }: Pod, type: string) => status?.conditions?.find((one) => one.type === type);

/** Milliseconds for which a condition has not held; `undefined` when it holds, or is not there. */
function lasting(pod: Pod, type: string, now: number): number | undefined {
  const condition = conditionOf(pod, type);
  const since = condition?.lastTransitionTime ?? pod.metadata.creationTimestamp;
  return condition?.status === 'False' && since !== undefined ? now - parseTime(since) : undefined;
}

/** Whether a condition that does not hold has not held for so long. */
const lasts = (pod: Pod, type: string, time: number, now: number) => (lasting(pod, type, now) ?? -1) >= time;

/** Milliseconds until a pod that waits for a node is in trouble by that; `undefined` when it does not wait, or is. */
export function untilUnschedulable(pod: Pod, now: number): number | undefined {
  const waited = pod.metadata.deletionTimestamp ? undefined : lasting(pod, 'PodScheduled', now);
  return waited === undefined || waited >= schedulingTime ? undefined : schedulingTime - waited;
}

function schedulingTrouble(pod: Pod, now: number): PodTrouble | undefined {
  if (!lasts(pod, 'PodScheduled', schedulingTime, now)) return undefined;
  const { message = '', reason = '' } = conditionOf(pod, 'PodScheduled') ?? {};
  return { reason: 'Unschedulable', message: `no node takes it: ${cut(message || reason)}` };
}

function containerTrouble({ status, spec }: Pod, now: number): PodTrouble | undefined {
  for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const image = spec?.containers.find(({ name }) => name === container.name)?.image ?? container.image;
    const trouble = waitingTrouble(container, image) ?? crashTrouble(container, now);
    if (trouble) return trouble;
  }
  return undefined;
}

function waitingTrouble(container: ContainerStatus, image: string): PodTrouble | undefined {
  const { name, state } = container;
  const { reason, message = '' } = state?.waiting ?? {};
  if (pulling.has(reason)) {
    const cause = cut(pullCause(message));
    const failed = failedImage(container, image);
    const next = failed === image ? '' : `; ${image}, which it has now, is not tried yet`;
    return {
      reason: 'ImagePull',
      message: `image ${failed} of container ${name} cannot be pulled${cause && `: ${cause}`}${next}`,
    };
  }
  if (making.has(reason))
    return { reason: 'ContainerNotMade', message: `container ${name} cannot start: ${cut(message)}` };
  return undefined;
}

/** A container that ended as it was asked to is in no trouble. */
function crashTrouble(container: ContainerStatus, now: number): PodTrouble | undefined {
  const crash = crashOf(container, now);
  return crash && crash.end.exitCode !== 0 ? crashing(container, crash) : undefined;
}

/** What the program said last is not repeated: it may be the end of its log, and hold secrets. */
function crashing({ name }: ContainerStatus, { end, when }: NonNullable<ReturnType<typeof crashOf>>): PodTrouble {
  const why = end.reason && end.reason !== 'Error' && end.reason !== 'Completed' ? ` (${end.reason})` : '';
  const said = isStartFailure(end) && end.message ? `: ${cut(end.message)}` : '';
  const last = `last with exit code ${end.exitCode}${why}${said}`;
  const message =
    when === 'soon'
      ? `container ${name} ends soon after each start, ${last}`
      : `container ${name} ends again and again, ${last}, and waits for its next start`;
  const mayBeStorage = name === MAIN_CONTAINER && ofService.has(end.exitCode);
  return { reason: 'Crashing', message, ...(mayBeStorage ? { mayBeStorage } : {}) };
}

/** A container that has ended, and that its node does not start at once: it was started too often. */
function pausing({ status }: Pod, now: number): PodTrouble | undefined {
  for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    const crash = container.state?.waiting?.reason === 'CrashLoopBackOff' ? crashOf(container, now) : undefined;
    if (crash) return crashing(container, crash);
  }
  return undefined;
}

/** What keeps a pod that has a node and no container in trouble. */
function startTrouble(pod: Pod, now: number): PodTrouble | undefined {
  const { status } = pod;
  if (isPodReady(pod) || !lasts(pod, 'Ready', normalTime, now)) return undefined;
  const gate = conditionOf(pod, CONDITION_CN_STORE);
  if (conditionOf(pod, 'ContainersReady')?.status === 'True' && gate?.status === 'False') {
    // Draining nodes, and those that a person keeps out of service, are in no trouble.
    if (gate.reason !== 'CNStoreNotRegistered' && gate.reason !== 'CNStoreUnknown') return undefined;
    const message = `it runs, and is not in service: ${cut(gate.message || gate.reason)}`;
    return { reason: 'NotInService', message, mayBeStorage: true };
  }
  const paused = pausing(pod, now);
  if (paused) return paused;
  const isMade = status?.containerStatuses?.some(({ state }) => state?.running);
  if (!isMade) {
    const message = 'its containers are not made: its volumes, or its network, are missing';
    return { reason: 'VolumesMissing', message };
  }
  const ready = conditionOf(pod, 'Ready');
  return {
    reason: 'NotReady',
    message: `it runs and does not become ready: ${cut(ready?.message || ready?.reason || '')}`,
  };
}

/** Those that come from what a pod is told to be. */
const told: ReadonlySet<string | undefined> = new Set(['ImagePull', 'ContainerNotMade', 'SecretMissing']);

/**
 * Whether a pod is in trouble because of what its set is told to be, so that another one in its place would be, too: only a change of the
 * spec helps, or of what it names. Also while such a change is on its way to the pod.
 */
export function isOfTheSpec(
  trouble: PodTrouble | undefined,
  pod: Pod | undefined,
  workload: KruiseStatefulSet,
): boolean {
  if (!told.has(trouble?.reason)) return false;
  const { metadata, spec, status } = workload;
  // Others may have put containers of their own into the pod.
  const images = new Map(pod?.spec?.containers.map(({ name, image }) => [name, image]));
  const isAsTold = spec.template.spec?.containers.every(({ name, image }) => images.get(name) === image);
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const isNewest = isSeen && pod?.metadata.labels?.['controller-revision-hash'] === status?.updateRevision;
  return !isNewest || isAsTold === true;
}
