import type { ActorContext } from '@coxswain/runtime/actor';
import { type LogSet, logSetNames } from '../api/index.ts';
import { haKeeperOf } from '../cnstore/index.ts';
import { storeOrdinals } from '../config/index.ts';
import type { LogKeeper } from '../logstore/index.ts';
import { keyOfSet } from './children.ts';
import { blindFor, lookAtStores } from './log-look.ts';
import { shortageWithout } from './log-shortage.ts';

/** Sees to it that no log store is taken away before HAKeeper has all that stay, so that its replicas are the only ones that are missed. */
export class LogScaleGuard {
  readonly #keeper: LogKeeper;

  constructor(keeper: LogKeeper) {
    this.#keeper = keeper;
  }

  /**
   * What the next store that is to go waits for; `undefined`: it may go.
   * @param left how many stores stay
   * @param replicas of each shard, when all is well
   */
  async objection(
    context: ActorContext<LogSet>,
    left: number,
    reserved: readonly number[],
    replicas: number,
  ): Promise<string | undefined> {
    const key = keyOfSet(context.object);
    const heard = await lookAtStores(context, this.#keeper);
    const silentFor = this.#keeper.silentFor(haKeeperOf(key)) ?? 1;
    // One that is slow to answer has told somebody else.
    const records = heard ?? (silentFor === 0 ? this.#keeper.said(haKeeperOf(key)) : undefined);
    if (!records) return silentFor >= blindFor ? undefined : 'no log store is taken away before HAKeeper answers';
    const { workload } = logSetNames(key.name);
    const stay = storeOrdinals(left, reserved).map((ordinal) => `${workload}-${ordinal}`);
    const shortage = shortageWithout(stay, records, Math.max(1, replicas - 1), true);
    const who = shortage?.pods.join(', ') || 'the stores that stay';
    return shortage && `no log store is taken away before HAKeeper has ${who} with all replicas`;
  }
}
