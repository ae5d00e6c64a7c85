import type { Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { parseTime } from '@coxswain/runtime/core';
import { CONDITION_HAKEEPER_SILENT, type LogSet } from '../api/index.ts';
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
   * when a majority is missing. Where it has said nothing, an objection that stands is kept, and only who was silent before cannot object.
   */
  async objection(
    context: ActorContext<LogSet>,
    victim: string,
    replicas: number,
    reserved: readonly number[],
  ): Promise<string | undefined> {
    const heard = await lookAtStores(context, this.#keeper);
    const records = heard ?? this.#keeper.said(haKeeperOf(keyOfSet(context.object)));
    if (!records) return objectionUnheard(context, victim);
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

/**
 * What an operator that has heard nothing of HAKeeper has against replacing a store, as one whose machine was the store's, too. One that was silent
 * before the store failed cannot be reached from here; one that fell silent since then may lack the store for a majority, whatever runs.
 */
function objectionUnheard({ conditions, status }: ActorContext<LogSet>, victim: string): string | undefined {
  const standing = conditions.get('FailoverBlocked');
  if (standing?.reason === REPLICAS_MISSING) return standing.message;
  const silentSince = conditions.get(CONDITION_HAKEEPER_SILENT)?.lastTransitionTime;
  const downSince = status.failedStores?.find(({ podName }) => podName === victim)?.lastTransition;
  if (timeOf(silentSince) <= timeOf(downSince)) return undefined;
  const why = `${victim} is not replaced, as HAKeeper does not answer, and is not known to have been silent before the store failed: without its volume the log could be lost for good`;
  return byConfirmation(why, [victim]);
}

/** Not a number when it cannot be read, as after somebody's hand: then nothing came before anything. */
function timeOf(text: string | undefined): number {
  try {
    return parseTime(text ?? '');
  } catch {
    return Number.NaN;
  }
}
