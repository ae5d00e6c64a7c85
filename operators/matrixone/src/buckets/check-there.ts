import type { Kind, KubeObject } from '@coxswain/k8s';
import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import { findSame } from '@coxswain/runtime/client';
import { parseTime } from '@coxswain/runtime/core';

/** Milliseconds after its creation within which an object is there: nobody is told that late of its end. */
const young = 60_000;
/** Milliseconds between looks at an object that is not there for the server. */
const lookAgain = 5_000;

/** Whether the server has an object as one that stays. */
export async function stays<T extends KubeObject>(
  { client, object, signal }: ActorContext<T>,
  kind: Kind,
): Promise<boolean> {
  const now = await findSame<KubeObject>(client, kind, object, signal);
  return now !== undefined && !now.metadata.deletionTimestamp;
}

/**
 * Asks the server for an object that has been there for long, before something is done in its name that nobody would undo: it may be gone, of
 * which this operator has not heard. A young one is not asked for, unless `anyAge`.
 * @throws Resync when the server does not know it, or knows it as one that goes
 */
export async function checkThere<T extends KubeObject>(
  context: ActorContext<T>,
  kind: Kind,
  anyAge = false,
): Promise<void> {
  const { clock, object } = context;
  const { creationTimestamp } = object.metadata;
  if (!anyAge && creationTimestamp && clock.now() - parseTime(creationTimestamp) < young) return;
  if (!(await stays(context, kind)))
    throw new Resync(`${kind.kind} ${object.metadata.name} goes, or is gone, which is not known here yet`, lookAgain);
}
