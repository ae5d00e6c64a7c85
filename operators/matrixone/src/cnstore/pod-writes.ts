import { Pod } from '@coxswain/k8s';
import { type Client, strategic } from '@coxswain/runtime/client';
import { type Clock, formatTime, keyOf } from '@coxswain/runtime/core';
import { CONDITION_CN_STORE } from '../api/index.ts';

type Texts = Readonly<Record<string, string>>;

/** Changes of a pod's metadata; `null` removes. */
export interface MetadataChange {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly addFinalizers?: readonly string[];
  readonly removeFinalizers?: readonly string[];
  /** Only when nobody has changed the pod since: for what two may decide at once. Default false. */
  readonly exact?: boolean;
}

function differing(present: Texts = {}, wanted: Readonly<Record<string, string | null>> = {}) {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => (present[key] ?? null) !== value));
}

/** What of a change is not so already; `undefined` when all is. */
function metadataPatch({ metadata }: Pod, change: MetadataChange): object | undefined {
  const labels = differing(metadata.labels, change.labels);
  const annotations = differing(metadata.annotations, change.annotations);
  const present = metadata.finalizers ?? [];
  const added = (change.addFinalizers ?? []).filter((name) => !present.includes(name));
  const removed = (change.removeFinalizers ?? []).filter((name) => present.includes(name));
  const patch = {
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    // One by one, so that it does not matter what else has happened to the pod: on its way up that is a lot.
    ...(added.length > 0 ? { finalizers: added } : {}),
    ...(removed.length > 0 ? { '$deleteFromPrimitiveList/finalizers': removed } : {}),
  };
  if (Object.keys(patch).length === 0) return undefined;
  const { uid, resourceVersion } = metadata;
  return { ...patch, uid, ...(change.exact ? { resourceVersion } : {}) };
}

/** Changes a pod's metadata in one write, or none when nothing differs. @throws ApiError Conflict */
export async function changeMetadata(
  client: Client,
  pod: Pod,
  change: MetadataChange,
  signal: AbortSignal,
): Promise<Pod> {
  const metadata = metadataPatch(pod, change);
  if (!metadata) return pod;
  return client.of(Pod).patch(keyOf(pod), strategic({ metadata }), { signal });
}

/**
 * Opens or closes the readiness gate of a compute node. Writes nothing when it stands so already.
 * @param message for people; left out, it stays as long as status and reason do
 */
export async function setGate(
  { client, clock, signal }: { readonly client: Client; readonly clock: Clock; readonly signal: AbortSignal },
  pod: Pod,
  open: boolean,
  reason: string,
  message?: string,
): Promise<void> {
  const status = open ? 'True' : 'False';
  const before = pod.status?.conditions?.find(({ type }) => type === CONDITION_CN_STORE);
  const stands = before?.status === status && before.reason === reason;
  if (stands && (message === undefined || message === before.message)) return;
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : formatTime(clock.now());
  const told = message !== undefined || before?.message ? { message: message ?? '' } : {};
  const condition = { type: CONDITION_CN_STORE, status, reason, lastTransitionTime, ...told };
  const patch = strategic({ status: { conditions: [condition] } });
  await client.of(Pod).patch(keyOf(pod), patch, { subresource: 'status', signal });
}
