import { type KubeObject, PodDisruptionBudget } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { controllerOf } from '@coxswain/runtime/controller';
import { keyOf, matchesLabels, selectorFromField } from '@coxswain/runtime/core';
import { applyChild } from './apply-child.ts';

/**
 * A set whose pods node drains must spare has one budget, or none while there is nothing to spare, or while somebody else has made one for them: with
 * two for one pod the API server evicts it for nobody.
 * @param labels of the pods of the set
 */
export async function applyBudget<T extends KubeObject>(
  context: ActorContext<T>,
  budget: PodDisruptionBudget | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): Promise<void> {
  if (budget && (isOwn(context, budget) || !(await isCovered(context, budget, labels))))
    await applyChild(context, PodDisruptionBudget, budget);
  if (budget) return;
  for (const old of context.owned(PodDisruptionBudget)) await context.ensureGone(PodDisruptionBudget, keyOf(old));
}

/** Whether there is one that is the set's, or that a set before it has let go of. */
function isOwn<T extends KubeObject>({ object, store }: ActorContext<T>, budget: PodDisruptionBudget): boolean {
  const known = store(PodDisruptionBudget).get(keyOf(budget));
  const owner = known && controllerOf(known);
  return known !== undefined && (!owner || owner.uid === object.metadata.uid);
}

/** Whether the server knows of a budget of somebody else for the pods of a set, or of one that has the name. */
async function isCovered<T extends KubeObject>(
  { client, log, object, signal }: ActorContext<T>,
  { metadata: { name, namespace = '' } }: PodDisruptionBudget,
  labels: Readonly<Record<string, string>> | undefined,
): Promise<boolean> {
  for await (const other of client.of(PodDisruptionBudget).listAll({ namespace, signal })) {
    const { metadata, spec } = other;
    if (metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid)) continue;
    // Without a selector a budget is for no pod, with an empty one for all.
    const isForThem = spec?.selector !== undefined && matchesLabels(selectorFromField(spec.selector), labels);
    if (metadata.name !== name && !isForThem) continue;
    log.info({ budget: metadata.name }, 'a budget of somebody else is there: the set gets none of its own');
    return true;
  }
  return false;
}
