import { ConfigMap, type Kind, type KubeObject } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { OwnershipError } from '@coxswain/runtime/apply';
import { controllerOf } from '@coxswain/runtime/controller';
import { ApiError, isConflict, keyOf } from '@coxswain/runtime/core';
import { refuse } from './refuse.ts';

/** Milliseconds between looks at an object of somebody else, which is not watched. */
const lookAgain = 60_000;

/**
 * Applies a child of a set. What is there already and is somebody else's is not taken over: it may have been made by hand, or by another
 * operator, and would go with the set. @throws Resync then; the condition says whose name is in the way
 */
export async function applyChild<T extends KubeObject, C extends KubeObject>(
  context: ActorContext<T>,
  kind: Kind<C>,
  desired: C,
): Promise<C> {
  // Children of sets are known by their labels.
  const isKnown = context.store(kind).get(keyOf(desired)) !== undefined;
  const force = isKnown || (await isOlder(context, kind, desired));
  try {
    return await context.apply<C>(kind, desired, { force });
  } catch (error) {
    if (error instanceof OwnershipError) return nameTaken(context, kind, desired, error.message);
    if (force || !(error instanceof ApiError) || !isConflict(error)) throw error;
    // One of the set's own from which somebody took the labels is out of sight, and not somebody else's.
    const found = await context.client.of(kind).find(keyOf(desired), { signal: context.signal });
    if (found && controllerOf(found)?.uid === context.object.metadata.uid) return context.apply<C>(kind, desired);
    return nameTaken(context, kind, desired, error.message);
  }
}

/**
 * Whether a ConfigMap is one of a set that upstream left without labels and without an owner. Keys of a ConfigMap do not conflict with others, so
 * it is looked at; of all other kinds fields would. @throws Resync when it is somebody else's
 */
async function isOlder<T extends KubeObject>(
  context: ActorContext<T>,
  kind: Kind,
  { metadata }: KubeObject,
): Promise<boolean> {
  if (kind !== (ConfigMap as Kind)) return false;
  const found = await context.client.of(ConfigMap).find(keyOf({ metadata }), { signal: context.signal });
  if (!found) return false;
  const owner = controllerOf(found);
  const isOurs = owner ? owner.uid === context.object.metadata.uid : found.data?.['start.sh'] !== undefined;
  if (isOurs) return true;
  const why = owner ? `it is controlled by ${owner.kind} ${owner.name}` : 'nobody has marked it as such';
  return nameTaken(context, kind, { metadata }, why);
}

function nameTaken<T extends KubeObject>(context: ActorContext<T>, kind: Kind, child: KubeObject, why: string): never {
  const { metadata, kind: owner } = context.object;
  const message = `${kind.kind} ${child.metadata.name} is there already, and not of ${owner} ${metadata.name}: ${why}; delete it, or give it another name`;
  return refuse(context, 'NameTaken', message, lookAgain);
}
