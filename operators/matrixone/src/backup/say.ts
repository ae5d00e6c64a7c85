import type { Kind, Writable } from '@coxswain/k8s';
import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import { type ConditionInput, conditionsOf, findCondition, mergeDiff, setCondition } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { isNotFound, keyOf } from '@coxswain/runtime/core';
import type { BackupJob, RestoreJob } from '../api/index.ts';

/** The condition that says how far it is, and how it ended. */
export const ENDED = 'Ended';

/** How it ended, for good. An operator of an earlier version that heard late may have put the phase back; its word on the end stands. */
export function endOf(object: BackupJob | RestoreJob): 'Completed' | 'Failed' | undefined {
  const phase = object.status?.phase;
  if (phase === 'Completed' || phase === 'Failed') return phase;
  const ended = findCondition(object, ENDED);
  if (ended?.status !== 'True') return undefined;
  return ended.reason === 'JobComplete' ? 'Completed' : 'Failed';
}

/** What both kinds tell besides conditions, and `backup`, which only one of them has. */
export type JobStatus = Partial<
  Writable<Omit<NonNullable<BackupJob['status']> & NonNullable<RestoreJob['status']>, 'conditions'>>
>;

/**
 * Writes how far it is and how it ended, unless the object has changed since it was read. These are never in the draft of a pass: that is
 * laid over what another operator has come to meanwhile, and the first word on the end is final.
 * @returns the object as it is then
 * @throws ApiError Conflict when it has changed
 */
export async function say<T extends BackupJob | RestoreJob>(
  { client, object, clock, signal }: ActorContext<T>,
  kind: Kind<T>,
  status: JobStatus,
  ended?: Omit<ConditionInput, 'type' | 'observedGeneration'>,
): Promise<T> {
  const { resourceVersion, generation: observedGeneration = 0, name } = object.metadata;
  const said = ended && { type: ENDED, ...ended, observedGeneration };
  const conditions = said && { conditions: setCondition(conditionsOf(object), said, clock.now()) };
  const patch = mergeDiff(object.status ?? {}, { ...object.status, ...status, ...conditions });
  if (!patch) return object;
  try {
    const body = { metadata: { resourceVersion }, status: patch };
    return await client.of(kind).patchStatus(keyOf(object), merge(body), { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Resync(`${kind.kind} ${name} is gone, which is not known here yet`);
  }
}
