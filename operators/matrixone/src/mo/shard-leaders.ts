import type { ClusterDetails } from './messages/stores.ts';

/** The shard that is HAKeeper's own; the others are the log. */
export const haKeeperShard = 0n;

/**
 * UUID of the store that leads each shard, as far as one is known. Each store tells only what it knew itself at its last heartbeat: one that
 * is gone may still call itself the leader, and one that has just started knows of none. Who speaks of the latest term knows best, as for HAKeeper itself.
 */
export function shardLeaders(stores: ClusterDetails['logStores']): ReadonlyMap<bigint, string> {
  const best = new Map<bigint, { readonly term: bigint; readonly uuid: string }>();
  for (const { shard } of stores.flatMap(({ replicas }) => replicas)) {
    const uuid = shard?.replicas.get(shard.leaderId);
    if (!shard || uuid === undefined || (best.get(shard.shardId)?.term ?? -1n) >= shard.term) continue;
    best.set(shard.shardId, { term: shard.term, uuid });
  }
  return new Map([...best].map(([shardId, { uuid }]) => [shardId, uuid]));
}
