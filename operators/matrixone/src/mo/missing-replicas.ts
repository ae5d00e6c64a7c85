import type { ClusterDetails } from './messages/stores.ts';

/**
 * Shards of which each log store should have a replica and has none that works, by the store's UUID. A replica works when its store tells of it, which it
 * does once it has read its log, and knows who leads the shard. Who should have one is what the newest configuration of the shard says.
 */
export function missingReplicas(stores: ClusterDetails['logStores']): ReadonlyMap<string, readonly bigint[]> {
  const newest = new Map<bigint, { readonly epoch: bigint; readonly uuids: ReadonlySet<string> }>();
  for (const { shard } of stores.flatMap(({ replicas }) => replicas)) {
    if (!shard || (newest.get(shard.shardId)?.epoch ?? -1n) >= shard.epoch) continue;
    newest.set(shard.shardId, { epoch: shard.epoch, uuids: new Set(shard.replicas.values()) });
  }
  return new Map(
    stores.map(({ uuid, replicas }) => {
      const works = new Set(replicas.map(({ shard }) => (shard?.leaderId ? shard.shardId : undefined)));
      const due = [...newest].filter(([, { uuids }]) => uuids.has(uuid)).map(([shardId]) => shardId);
      return [uuid, due.filter((shardId) => !works.has(shardId))];
    }),
  );
}
