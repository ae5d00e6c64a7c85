import { Pod } from '@coxswain/k8s';
import type { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { ActorContext } from '@coxswain/runtime/actor';
import { removeFinalizer } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { ignoreNotFound, keyOf } from '@coxswain/runtime/core';
import {
  FINALIZER_CONFIRM_DELETION,
  LABEL_ACTION_REQUIRED,
  LABEL_LOGSET_OWNER,
  type LogSet,
  type LogSetSpec,
} from '../api/index.ts';
import { storeOrdinals } from '../config/index.ts';
import { podsOf } from './children.ts';
import { reservedOrdinals } from './ordinals.ts';
import { ordinalOf } from './store-status.ts';

type Context = ActorContext<LogSet>;

/**
 * Takes a failed pod out of its set and keeps it for a post-mortem: without the set's labels the StatefulSet lets go of
 * it, and the finalizer keeps it until a person has looked.
 */
export async function orphanPod(context: Context, podName: string): Promise<void> {
  const { namespace = '', name } = context.object.metadata;
  const pod = context.store(Pod).get({ namespace, name: podName });
  if (!pod || pod.metadata.labels?.[LABEL_LOGSET_OWNER]) return;
  const { resourceVersion, labels = {}, finalizers = [] } = pod.metadata;
  const removed = Object.fromEntries(Object.keys(labels).map((key) => [key, null]));
  const body = {
    metadata: {
      resourceVersion,
      finalizers: [...new Set([...finalizers, FINALIZER_CONFIRM_DELETION])],
      labels: { ...removed, [LABEL_ACTION_REQUIRED]: 'True', [LABEL_LOGSET_OWNER]: name },
    },
  };
  await context.client.of(Pod).patch({ namespace, name: podName }, merge(body), { signal: context.signal });
}

/** The pods kept for a post-mortem. They have none of the labels by which pods are watched, so the server is asked. */
function orphansOf({ client, object, signal }: Context): Promise<readonly Pod[]> {
  const { namespace = '', name } = object.metadata;
  return Array.fromAsync(client.of(Pod).listAll({ namespace, labels: { [LABEL_LOGSET_OWNER]: name }, signal }));
}

/**
 * The ordinals that the workload must not use. Where failed pods are kept, also those of pods that were taken out of the set just before this
 * could be written down: their names are taken, and nobody else remembers them.
 */
export async function ordinalsOutOfUse(
  context: Context,
  { failedPodStrategy }: Pick<LogSetSpec, 'failedPodStrategy'>,
  live: KruiseStatefulSet | undefined,
): Promise<readonly number[]> {
  const reserved = reservedOrdinals(live);
  if (!live || failedPodStrategy !== 'Orphan') return reserved;
  const there = new Set(podsOf(context, 'LogSet').map(({ metadata }) => ordinalOf(metadata.name)));
  const missing = storeOrdinals(live.spec.replicas ?? 1, reserved).filter((ordinal) => !there.has(ordinal));
  if (missing.length === 0) return reserved;
  const kept = (await orphansOf(context)).map(({ metadata }) => ordinalOf(metadata.name));
  return [...reserved, ...missing.filter((ordinal) => kept.includes(ordinal))].sort((a, b) => a - b);
}

/** Lets go of the pods kept for a post-mortem: their LogSet is being deleted. `true` when none is left. */
export async function releaseOrphans(context: Context): Promise<boolean> {
  const { client, event, signal } = context;
  const orphans = await orphansOf(context);
  for (const pod of orphans) {
    await removeFinalizer(client, Pod, pod, FINALIZER_CONFIRM_DELETION, { signal });
    if (pod.metadata.deletionTimestamp) continue;
    await ignoreNotFound(client.of(Pod).delete(keyOf(pod), { signal }));
    const message = `${pod.metadata.name}, kept for a post-mortem, goes with its LogSet`;
    event({ reason: 'OrphanReleased', message, action: 'Finalize' });
  }
  return orphans.length === 0;
}
