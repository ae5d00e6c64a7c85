import { Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { deepEqual, ignoreNotFound, isConflict, isNotFound, keyOf } from '@coxswain/runtime/core';
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
import { podsThere } from '../controllers/index.ts';
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
  const { name, deletionTimestamp } = set.metadata;
  await retire(context, census(podsOfSet(context, name)).free);
  const pods = podsOfSet(context, name);
  if (!deletionTimestamp) {
    await markOutdated(context, stayingPods(context, name), true);
    if (pods.length === 0 || !isAt(set, pods)) await shrink(context, set);
  }
  return census(pods);
}

/** What a set is told while it empties. Its template is left alone: a rollout would stop what still serves. */
function emptying(pods: readonly Pod[]): Required<Pick<CNSet['spec'], 'replicas' | 'podsToDelete'>> {
  const { inUse, free, terminating } = census(pods);
  return {
    replicas: inUse.length + free.length,
    podsToDelete: terminating.map(({ metadata }) => metadata.name).sort(),
  };
}

function isAt({ spec: { replicas, podsToDelete = [] } }: CNSet, pods: readonly Pod[]): boolean {
  return deepEqual({ replicas, podsToDelete }, emptying(pods));
}

/**
 * Lets go of what a set does not need any more. Which pods there are is asked of the server: one that is not known here yet would be stopped with
 * its sessions.
 * @throws ApiError Conflict when the set has changed
 */
async function shrink(context: Context, set: CNSet): Promise<void> {
  const { client, signal } = context;
  const { name, namespace = '', uid = '', resourceVersion = '' } = set.metadata;
  const pods = await podsThere(context, 'CNSet', { namespace, name });
  if (pods.length === 0) {
    const preconditions = { uid, resourceVersion };
    await ignoreNotFound(client.of(CNSet).delete(keyOf(set), { propagation: 'Background', preconditions, signal }));
  } else if (!isAt(set, pods)) {
    const patch = merge({ metadata: { resourceVersion }, spec: emptying(pods) });
    await client.of(CNSet).patch(keyOf(set), patch, { signal });
  }
}
