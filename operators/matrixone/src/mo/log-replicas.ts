import type { ClusterDetails } from './messages/stores.ts';

/** The shards that a log store belongs to, in two parts. */
export interface LogReplicas {
  readonly works: readonly bigint[];
  readonly missing: readonly bigint[];
}

/**
 * Of which shards each log store has a replica that works, and of which it should have one and has none, by the store's UUID. A replica works when its
 * store tells of it, which it does once it has read its log, and knows who leads the shard. Who should have one is what the newest configuration of the
 * shard says. What a store that is gone said last counts on; its last heartbeat tells.
 */
export function logReplicas(stores: ClusterDetails['logStores']): ReadonlyMap<string, LogReplicas> {
  const newest = new Map<bigint, { readonly epoch: bigint; readonly uuids: ReadonlySet<string> }>();
  for (const { shard } of stores.flatMap(({ replicas }) => replicas)) {
    if (!shard || (newest.get(shard.shardId)?.epoch ?? -1n) >= shard.epoch) continue;
    newest.set(shard.shardId, { epoch: shard.epoch, uuids: new Set(shard.replicas.values()) });
  }
  return new Map(
    stores.map(({ uuid, replicas }) => {
      const told = new Set(replicas.map(({ shard }) => (shard?.leaderId ? shard.shardId : undefined)));
      const due = [...newest].filter(([, { uuids }]) => uuids.has(uuid)).map(([shardId]) => shardId);
      const [works, missing] = [true, false].map((does) => due.filter((shardId) => told.has(shardId) === does));
      return [uuid, { works: works ?? [], missing: missing ?? [] }];
    }),
  );
}
