import type { LogStoreRecord } from '../cnstore/index.ts';
import { logStoreUuid } from '../identity/index.ts';
import { ordinalOf } from './store-status.ts';

/** Milliseconds without a word after which a store counts as away: HAKeeper hears of each once a second. */
export const silence = 10_000;
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
