import { Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { deepEqual, isConflict, isNotFound, keyOf } from '@coxswain/runtime/core';
import {
  CNClaim,
  type CNPool,
  CNSet,
  claimantOf,
  isLeaving,
  LABEL_INSTANCE,
  LABEL_OUTDATED,
  LABEL_PHASE,
  phaseOf,
  podOf,
} from '../api/index.ts';
import { changeMetadata } from '../cnstore/index.ts';
import { census, type PoolCensus } from './pool-size.ts';

type Context = ActorContext<CNPool>;

/** The pods of one of a pool's sets, also those on their way out. */
export function podsOfSet({ object, store }: Context, set: string): readonly Pod[] {
  const namespace = object.metadata.namespace ?? '';
  return [...store(Pod).list({ namespace, labels: { [LABEL_INSTANCE]: set } })];
}

/** The pods of a set that stay for now, whoever made them. */
export function stayingPods(context: Context, set: string): readonly Pod[] {
  return podsOfSet(context, set).filter((pod) => !isLeaving(pod) && phaseOf(pod) !== 'Terminating');
}

/** Marks pods as chosen to go. `false`: somebody else was faster with one; it stays, and has to be looked at anew. */
export async function retire({ client, signal }: Context, pods: readonly Pod[]): Promise<boolean> {
  let all = true;
  for (const pod of pods) {
    try {
      await changeMetadata(client, pod, { exact: true, labels: { [LABEL_PHASE]: 'Terminating' } }, signal);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      all = false;
    }
  }
  return all;
}

/** Marks pods, and the claims bound to them, as those of an earlier revision or of the newest one. */
export async function markOutdated(context: Context, pods: readonly Pod[], isOutdated: boolean): Promise<void> {
  const { client, object, signal, store } = context;
  const [from, to] = isOutdated ? ['Bound', 'Outdated'] : ['Outdated', 'Bound'];
  for (const pod of pods) {
    const labels = { [LABEL_OUTDATED]: isOutdated ? 'y' : null };
    await changeMetadata(client, pod, { exact: true, labels }, signal);
    const name = phaseOf(pod) === 'Bound' ? claimantOf(pod) : undefined;
    const claim = name && store(CNClaim).get({ namespace: object.metadata.namespace ?? '', name });
    if (!claim || podOf(claim) !== pod.metadata.name || claim.status?.phase !== from) continue;
    const { resourceVersion } = claim.metadata;
    const body = { metadata: { resourceVersion }, status: { phase: to } };
    await client.of(CNClaim).patchStatus(keyOf(claim), merge(body), { signal });
  }
}

/** Empties a set of an earlier revision: what is in use stays until it is given back. Answers what there still is. */
export async function emptyLegacySet(context: Context, set: CNSet): Promise<PoolCensus> {
  const { name, deletionTimestamp, resourceVersion } = set.metadata;
  await retire(context, census(podsOfSet(context, name)).free);
  const pods = podsOfSet(context, name);
  const left = census(pods);
  if (deletionTimestamp) return left;
  if (pods.length === 0) {
    await context.ensureGone(CNSet, keyOf(set));
    return left;
  }
  await markOutdated(context, stayingPods(context, name), true);
  // Its template is left alone: a rollout would stop what still serves.
  const spec = {
    replicas: left.inUse.length + left.free.length,
    podsToDelete: left.terminating.map(({ metadata }) => metadata.name).sort(),
  };
  if (set.spec.replicas !== spec.replicas || !deepEqual(set.spec.podsToDelete ?? [], spec.podsToDelete)) {
    const patch = merge({ metadata: { resourceVersion }, spec });
    await context.client.of(CNSet).patch(keyOf(set), patch, { signal: context.signal });
  }
  return left;
}
