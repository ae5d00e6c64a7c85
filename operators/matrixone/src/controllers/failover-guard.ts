import type { Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import type { LogSet } from '../api/index.ts';
import { haKeeperOf } from '../cnstore/index.ts';
import type { LogKeeper } from '../logstore/index.ts';
import { keyOfSet, podsOf } from './children.ts';
import { byConfirmation, REPLICAS_MISSING } from './failover.ts';
import { lookAtStores } from './log-look.ts';
import { type Shortage, shortageWithout } from './log-shortage.ts';
import { ordinalOf } from './store-status.ts';

/** Speaks up for stores that HAKeeper still needs when one is to be replaced without a person. */
export class FailoverGuard {
  readonly #keeper: LogKeeper;

  constructor(keeper: LogKeeper) {
    this.#keeper = keeper;
  }

  /**
   * Why a store must not be replaced now; `undefined`: nothing is known against it. Without an answer what HAKeeper said last counts: it falls silent
   * when a majority is missing. Where it has said nothing, an objection that stands is kept.
   */
  async objection(
    context: ActorContext<LogSet>,
    victim: string,
    replicas: number,
    reserved: readonly number[],
  ): Promise<string | undefined> {
    const heard = await lookAtStores(context, this.#keeper);
    const records = heard ?? this.#keeper.said(haKeeperOf(keyOfSet(context.object)));
    if (!records) {
      const standing = context.conditions.get('FailoverBlocked');
      return standing?.reason === REPLICAS_MISSING ? standing.message : undefined;
    }
    const others = othersOf(podsOf(context, 'LogSet'), victim, reserved);
    // At most a minority may ever be missing.
    const shortage = shortageWithout(others, records, replicas - Math.floor(replicas / 2));
    return shortage && objectionOf(victim, shortage);
  }
}

function othersOf(pods: readonly Pod[], victim: string, reserved: readonly number[]): readonly string[] {
  const names = pods.map(({ metadata }) => metadata.name);
  return names.filter((name) => name !== victim && !reserved.includes(ordinalOf(name))).sort();
}

function objectionOf(victim: string, { pods }: Shortage): string {
  const has = pods.length === 1 ? 'has' : 'have';
  const who = pods.length > 0 ? `${pods.join(', ')} ${has}` : 'the other stores have';
  const its = pods.length === 1 ? 'its' : 'their';
  const why = `${victim} is not replaced, as ${who} not got ${its} replicas of the log from HAKeeper yet: without both the log would be lost for good`;
  return byConfirmation(why, [victim]);
}
