import type { Kind, KubeObject, Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { controllerOf } from '@coxswain/runtime/controller';
import { asSeen, ignoreNotFound, type ObjectKey } from '@coxswain/runtime/core';

/**
 * Deletes the workload of a set that goes. Where it is not known here although its pods stay, the server is asked: children of sets are known by
 * their labels, and who takes these away takes the workload out of sight.
 * @param pods of the set
 * @returns whether it is gone
 */
export async function ensureWorkloadGone<T extends KubeObject>(
  context: ActorContext<T>,
  kind: Kind,
  key: ObjectKey,
  pods: readonly Pod[],
): Promise<boolean> {
  const { client, object, signal } = context;
  if (!(await context.ensureGone(kind, key))) return false;
  if (pods.every(({ metadata }) => metadata.deletionTimestamp)) return true;
  const workload = await client.of(kind).find(key, { signal });
  // One without labels and without a controller may have been made by hand.
  if (!workload || controllerOf(workload)?.uid !== object.metadata.uid) return true;
  const preconditions = asSeen(workload);
  await ignoreNotFound(client.of(kind).delete(key, { propagation: 'Background', preconditions, signal }));
  return false;
}
