import type { Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import type { LogSet } from '../api/index.ts';
import { haKeeperOf, type LogStoreRecord } from '../cnstore/index.ts';
import { logStoreUuid } from '../identity/index.ts';
import type { LogKeeper } from '../logstore/index.ts';
import { keyOfSet, podsOf } from './children.ts';
import { byConfirmation, REPLICAS_MISSING } from './failover.ts';
import { lookAtStores } from './log-look.ts';
import { ordinalOf } from './store-status.ts';

/** HAKeeper hears of each store once a second. */
const silence = 10_000;
/** Its own shard, which is there wherever it answers. */
const haKeeperShard = 0;

/** Which stores would be missed if another one were given up. */
export interface Shortage {
  /** Pods of stores without their replicas; none where it is HAKeeper that has not placed all yet. */
  readonly pods: readonly string[];
}

/**
 * Whether any shard would have too few replicas that work without a store and its volume, by what HAKeeper says of the others.
 * A store that replaced another has its replicas only once HAKeeper has given them to it, long after its pod is ready.
 * @param others pods of the set that remain
 * @param enough replicas of each shard
 * @param strict whether it is a shortage too when one of the others misses any replica; default false
 */
export function shortageWithout(
  others: readonly string[],
  records: readonly LogStoreRecord[],
  enough: number,
  strict = false,
): Shortage | undefined {
  const known = new Map(records.map((record) => [record.uuid, record]));
  const shards = new Set([haKeeperShard, ...records.flatMap(({ works, missing }) => [...works, ...missing])]);
  const stores = others.map((pod) => ({ pod, record: known.get(logStoreUuid(ordinalOf(pod))) }));
  const works = ({ record }: (typeof stores)[number], shard: number) =>
    record !== undefined && record.silentFor <= silence && record.works.includes(shard);
  const short = [...shards].filter((shard) => stores.filter((store) => works(store, shard)).length < enough);
  const isAway = ({ record }: (typeof stores)[number]) =>
    !record || record.silentFor > silence || record.missing.length > 0;
  if (short.length === 0 && !(strict && stores.some(isAway))) return undefined;
  const isBehind = (store: (typeof stores)[number]) =>
    isAway(store) || (short.length > 0 && !short.some((shard) => works(store, shard)));
  return { pods: stores.filter(isBehind).map(({ pod }) => pod) };
}

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
