import type { ActorContext } from '@coxswain/runtime/actor';
import { messageOf, withTimeout } from '@coxswain/runtime/core';
import type { LogSet } from '../api/index.ts';
import { haKeeperOf, type LogStoreRecord } from '../cnstore/index.ts';
import type { LogKeeper } from '../logstore/index.ts';
import { keyOfSet } from './children.ts';

/** Milliseconds without an answer after which log stores are restarted and taken away as if nobody had to be asked: as long as HAKeeper itself takes to give one up. */
export const blindFor = 300_000;
/** Milliseconds that an answer of HAKeeper may take before a pass goes on without it. */
const patience = 3_000;

/** What HAKeeper says of the log stores now; `undefined` when it does not answer. */
export async function lookAtStores(
  { clock, log, object, signal }: ActorContext<LogSet>,
  keeper: Pick<LogKeeper, 'logStores'>,
): Promise<readonly LogStoreRecord[] | undefined> {
  const ask = (inTime: AbortSignal) => keeper.logStores(haKeeperOf(keyOfSet(object)), 0, inTime);
  try {
    return await withTimeout(clock, patience, 'the look at the log stores', ask, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.debug({ error: messageOf(error) }, 'HAKeeper does not tell of the log stores');
    return undefined;
  }
}
