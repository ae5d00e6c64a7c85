import { Pod } from '@coxswain/k8s';
import { type Client, findSame } from '@coxswain/runtime/client';
import { conflict } from '@coxswain/runtime/core';
import { hasGivenLocks } from './locks-given.ts';
import { stageOf } from './stage.ts';

/**
 * What is asked before a node that drains is put into service again: whether the server, too, knows its pod as one that serves. By what is known
 * here alone a node would be taken back, by an operator that has not heard of its end, just when it has been emptied to be stopped.
 * @param isWanted what else its pod must say; default nothing
 * @throws ApiError Conflict when it does not
 */
export function takingBack(
  client: Client,
  pod: Pod,
  signal: AbortSignal,
  isWanted: (now: Pod) => boolean = () => true,
): () => Promise<void> {
  return async () => {
    const now = await findSame(client, Pod, pod, signal);
    if (!now || stageOf(now) !== 'serving' || hasGivenLocks(now) || !isWanted(now))
      throw conflict(Pod, pod.metadata.name, 'it is to serve no more, which is not known here yet');
  };
}
