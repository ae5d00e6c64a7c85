import { type Container, Pod, type PodTemplateSpec } from '@coxswain/k8s';
import { type Client, merge, strategic } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { deepEqual, formatTime, keyOf } from '@coxswain/runtime/core';
import { type Revisions, revisionLabel, templateOf } from '../revision/revisions.ts';
import { ignoreRace } from '../workload/tolerant.ts';

/** Readiness gate that is closed while a pod is changed in place. */
export const inPlaceGate = 'InPlaceUpdateReady';
/** Annotation: what the change began with. */
const stateAnnotation = 'apps.kruise.io/inplace-update-state';
/** Annotation: a change that waits for its grace period. */
const graceAnnotation = 'apps.kruise.io/inplace-update-grace';

interface InPlaceState {
  readonly revision: string;
  readonly updateTimestamp: string;
  readonly updateImages?: boolean;
  readonly updateEnvFromMetadata?: boolean;
  /** Container ids (by name) that must be replaced before the change is done. */
  readonly lastContainerStatuses: Readonly<
    Record<string, { readonly containerID: string; readonly imageID: string }>
  > | null;
}

/** A change that has begun and waits for its grace period. */
interface InPlaceGrace {
  readonly revision: string;
  readonly containerImages: Readonly<Record<string, string>>;
  readonly metadata: Pick<InPlaceChange, 'labels' | 'annotations'>;
  readonly restarts: readonly string[];
  readonly graceSeconds: number;
}

/** What a template change does to pods, when it can be done in place: containers with another image, and metadata. */
export interface InPlaceChange {
  readonly images: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
  /** Containers that must start again: by image, or because their environment reads changed metadata. */
  readonly restarts: readonly string[];
}

function withoutImages(template: PodTemplateSpec): unknown {
  const containers = (template.spec?.containers ?? []).map(({ image: _image, ...rest }) => rest);
  return { ...template.spec, containers };
}

function mapChange(
  before: Readonly<Record<string, string>> = {},
  after: Readonly<Record<string, string>> = {},
): Record<string, string | null> {
  const removed = Object.keys(before)
    .filter((key) => !(key in after))
    .map((key) => [key, null] as const);
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value);
  return Object.fromEntries([...removed, ...changed]);
}

function readsMetadata(container: Container, change: Pick<InPlaceChange, 'labels' | 'annotations'>): boolean {
  return (container.env ?? []).some(({ valueFrom }) => {
    const match = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(valueFrom?.fieldRef?.fieldPath ?? '');
    return match !== null && (match[2] ?? '') in change[match[1] as 'labels' | 'annotations'];
  });
}

/** The change between two templates; `undefined` when pods have to be replaced for it. */
export function inPlaceChange(before: PodTemplateSpec, after: PodTemplateSpec): InPlaceChange | undefined {
  if (!deepEqual(withoutImages(before), withoutImages(after))) return undefined;
  const labels = mapChange(before.metadata?.labels, after.metadata?.labels);
  const annotations = mapChange(before.metadata?.annotations, after.metadata?.annotations);
  const old = new Map((before.spec?.containers ?? []).map(({ name, image }) => [name, image]));
  const containers = after.spec?.containers ?? [];
  const images = Object.fromEntries(
    containers.filter(({ name, image }) => old.get(name) !== image).map(({ name, image }) => [name, image ?? '']),
  );
  const restarts = containers
    .filter((container) => container.name in images || readsMetadata(container, { labels, annotations }))
    .map(({ name }) => name);
  return { images, labels, annotations, restarts };
}

function parse<T>(text: string | undefined): T | undefined {
  if (!text) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

function hasGate(pod: Pod, type: string): boolean {
  return pod.spec?.readinessGates?.some(({ conditionType }) => conditionType === type) ?? false;
}

/** Sets the condition behind a readiness gate; nothing when the pod has no such gate or the condition is as wanted. */
export async function setGate(
  { client, clock }: ReconcileContext,
  pod: Pod,
  type: string,
  open: boolean,
  reason = '',
): Promise<void> {
  const status = open ? 'True' : 'False';
  const before = pod.status?.conditions?.find((condition) => condition.type === type);
  if (!hasGate(pod, type) || before?.status === status) return;
  const condition = {
    type,
    status,
    lastTransitionTime: formatTime(clock.now()),
    reason: reason || null,
    message: null,
  };
  const patch = strategic({ metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } });
  await client.of(Pod).patch(keyOf(pod), patch, { subresource: 'status' }).catch(ignoreRace);
}

/** Whether a change in place waits for its grace period. */
export function isInGrace(pod: Pod): boolean {
  return pod.metadata.annotations?.[graceAnnotation] !== undefined;
}

/** Whether a change in place has begun and is not complete. */
export function isChanging(pod: Pod): boolean {
  const { annotations } = pod.metadata;
  if (annotations?.[graceAnnotation]) return true;
  const state = parse<InPlaceState>(annotations?.[stateAnnotation]);
  return state !== undefined && !isComplete(pod, state);
}

function isComplete(pod: Pod, state: InPlaceState): boolean {
  return Object.entries(state.lastContainerStatuses ?? {}).every(([name, before]) => {
    const now = pod.status?.containerStatuses?.find((status) => status.name === name);
    return now?.containerID !== undefined && now.containerID !== before.containerID && now.ready;
  });
}

/**
 * Brings a pod's change on: ends its grace period when it is over, and opens the gate when the change is complete.
 * Answers the milliseconds until the grace period ends.
 */
export async function goOnInPlace(context: ReconcileContext, pod: Pod): Promise<number | undefined> {
  const grace = parse<InPlaceGrace>(pod.metadata.annotations?.[graceAnnotation]);
  if (grace) return endGrace(context, pod, grace);
  if (!isChanging(pod)) await setGate(context, pod, inPlaceGate, true);
  return undefined;
}

async function endGrace(context: ReconcileContext, pod: Pod, grace: InPlaceGrace): Promise<number | undefined> {
  const { annotations, labels } = pod.metadata;
  if (labels?.[revisionLabel] !== grace.revision) {
    // it is on its way to yet another revision by now
    await patchMetadata(context.client, pod, { annotations: { [graceAnnotation]: null } });
    return 0;
  }
  const state = parse<InPlaceState>(annotations?.[stateAnnotation]);
  const begun = Date.parse(state?.updateTimestamp ?? '') || 0;
  const left = begun + grace.graceSeconds * 1000 - context.clock.now();
  if (left > 0) return left;
  const { containerImages: images, metadata, restarts, revision } = grace;
  const since = state?.updateTimestamp ?? formatTime(context.clock.now());
  await applyChange(context, pod, { images, restarts, ...metadata }, { revision, since, labels: {} });
  return restarts.length > 0 ? undefined : 0;
}

interface Marks {
  readonly revision: string;
  /** When the change began, RFC 3339. */
  readonly since: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

function stateOf(change: InPlaceChange, { revision, since }: Marks, before: InPlaceState['lastContainerStatuses']) {
  const state: InPlaceState = {
    revision,
    updateTimestamp: since,
    lastContainerStatuses: before,
    ...(change.restarts.some((name) => !(name in change.images)) ? { updateEnvFromMetadata: true } : {}),
    ...(Object.keys(change.images).length > 0 ? { updateImages: true } : {}),
  };
  return JSON.stringify(state);
}

/** Changes image and metadata in one patch, and notes what has to be replaced for it. */
async function applyChange(context: ReconcileContext, pod: Pod, change: InPlaceChange, marks: Marks): Promise<void> {
  const statuses = (pod.status?.containerStatuses ?? []).filter(({ name }) => change.restarts.includes(name));
  const before = Object.fromEntries(
    statuses.map(({ name, containerID, imageID }) => [name, { containerID: containerID ?? '', imageID }]),
  );
  const containers = Object.entries(change.images).map(([name, image]) => ({ name, image }));
  const annotations = {
    ...change.annotations,
    ...marks.annotations,
    [stateAnnotation]: stateOf(change, marks, before),
    [graceAnnotation]: null,
  };
  const labels = { ...change.labels, ...marks.labels, [revisionLabel]: marks.revision };
  const patch = strategic({
    metadata: { uid: pod.metadata.uid, labels, annotations },
    ...(containers.length > 0 ? { spec: { containers } } : {}),
  });
  await context.client.of(Pod).patch(keyOf(pod), patch).catch(ignoreRace);
}

function changeFor(pod: Pod, revisions: Revisions): InPlaceChange | undefined {
  const from = revisions.all.find((revision) => revision.metadata.name === pod.metadata.labels?.[revisionLabel]);
  return from && inPlaceChange(templateOf(from), templateOf(revisions.update));
}

/** What {@link changeInPlace} is to write besides. */
export interface ChangeOptions {
  /** Seconds a pod is not ready before its containers are changed. */
  readonly grace: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Whether a pod can be changed to the update revision in place. */
export function canChangeInPlace(pod: Pod, revisions: Revisions): boolean {
  return changeFor(pod, revisions) !== undefined;
}

/**
 * Begins to change a pod to the update revision in place: the gate is closed and the revision noted; image and metadata follow at once, or after the
 * grace period ({@link goOnInPlace}). Answers `false` when the pod has to be replaced, otherwise the milliseconds until the next look (`undefined`: on events).
 */
export async function changeInPlace(
  context: ReconcileContext,
  pod: Pod,
  revisions: Revisions,
  { grace, labels = {}, annotations = {} }: ChangeOptions,
): Promise<false | { readonly wait: number | undefined }> {
  const change = changeFor(pod, revisions);
  if (!change) return false;
  const revision = revisions.update.metadata.name;
  const since = formatTime(context.clock.now());
  if (change.restarts.length > 0) await setGate(context, pod, inPlaceGate, false, 'StartInPlaceUpdate');
  if (grace <= 0) {
    await applyChange(context, pod, change, { revision, since, labels, annotations });
    // metadata alone brings no event of the node's: look again at once
    return { wait: change.restarts.length > 0 ? undefined : 0 };
  }
  const waiting: InPlaceGrace = {
    revision,
    containerImages: change.images,
    metadata: { labels: change.labels, annotations: change.annotations },
    restarts: change.restarts,
    graceSeconds: grace,
  };
  await patchMetadata(context.client, pod, {
    labels: { ...labels, [revisionLabel]: revision },
    annotations: {
      ...annotations,
      [stateAnnotation]: stateOf(change, { revision, since, labels }, null),
      [graceAnnotation]: JSON.stringify(waiting),
    },
  });
  return { wait: grace * 1000 };
}

/** Metadata of a pod, merged in; refused quietly when the pod is another by now. */
export async function patchMetadata(
  client: Client,
  pod: Pod,
  metadata: {
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
  },
): Promise<void> {
  await client
    .of(Pod)
    .patch(keyOf(pod), merge({ metadata: { uid: pod.metadata.uid, ...metadata } }))
    .catch(ignoreRace);
}
