import { Pod } from '@coxswain/k8s';
import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { keyOf } from '@coxswain/runtime/core';
import { BucketClaim, LABEL_COMPONENT, LABEL_INSTANCE, LogSet } from '../api/index.ts';
import { mayHaveData, ownerOfClaim, titleOf } from './claims.ts';
import type { BucketScope } from './hold.ts';
import { marksOf } from './marks.ts';

/** Milliseconds between looks at what is left of a log service. */
const lookAgain = 60_000;

/**
 * Gives up a claim in use whose log service is gone. A log service gives its claim up itself before it goes; but an operator that had not heard of
 * its end may have made the claim afterwards, or somebody took the log service's finalizer away. The path would be taken for ever. Where there may be
 * data it stays: the claim is `Released`, else it goes.
 * @returns whether it was given up
 * @throws Resync while something of the log service still runs, or uses the data
 */
export async function giveUpAbandoned(context: ActorContext<BucketClaim>, scope: BucketScope): Promise<boolean> {
  const { cache, client, object, signal } = context;
  const [owner] = ownerOfClaim(object);
  if (!owner || cache.store(LogSet).get(owner)) return false;
  // What the cache knows may be older than the claim.
  if (await client.of(LogSet).find(owner, { signal })) return false;
  const { ofSets, others } = await marksOf(context, object, scope);
  const labels = { [LABEL_INSTANCE]: owner.name, [LABEL_COMPONENT]: 'LogSet' };
  const pods = await client.of(Pod).list({ namespace: owner.namespace, labels, limit: 1, signal });
  const users = [...ofSets, ...pods.items.map(({ metadata }) => `pod ${metadata.name}`)];
  if (users.length > 0)
    throw new Resync(
      `LogSet ${object.status?.bindTo} is gone, and BucketClaim ${titleOf(object)} is used by ${users.join(', ')}`,
      lookAgain,
    );
  const { resourceVersion } = object.metadata;
  const state = mayHaveData(object) ? 'Released' : 'Deleting';
  const body = { metadata: { resourceVersion, finalizers: others }, status: { bindTo: '', state } };
  await client.of(BucketClaim).patch(keyOf(object), merge(body), { signal });
  return true;
}
