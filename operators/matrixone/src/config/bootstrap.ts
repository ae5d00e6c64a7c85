import type { LogSetSpec } from '../api/index.ts';
import { logStoreUuid } from '../identity/index.ts';
import { renderToml, type TomlTable } from '../toml/index.ts';
import { gossipSeeds, type LogService } from './log-service.ts';

/** A store that takes part in the bootstrap of HAKeeper. */
export interface BootstrapMember {
  readonly ordinal: number;
  readonly replicaId: number;
}

const FIRST_REPLICA_ID = 131072;
const LAST_REPLICA_ID = 262144;

/**
 * Chooses the stores that bootstrap HAKeeper: the first `logShardReplicas`. The choice is made once per cluster and
 * kept in an annotation; making it anew after a failover would bootstrap a second HAKeeper.
 */
export function chooseBootstrapMembers(spec: Pick<LogSetSpec, 'initialConfig'>): readonly BootstrapMember[] {
  const count = spec.initialConfig?.logShardReplicas ?? 1;
  if (count > LAST_REPLICA_ID - FIRST_REPLICA_ID) throw new RangeError(`logShardReplicas ${count} is too large`);
  return Array.from({ length: count }, (_, ordinal) => ({ ordinal, replicaId: FIRST_REPLICA_ID + ordinal }));
}

/**
 * Reads the annotation that holds the choice.
 * @throws SyntaxError when it holds something else: guessing could split the cluster
 */
export function parseBootstrapMembers(text: string): readonly BootstrapMember[] {
  const value: unknown = JSON.parse(text);
  const isMember = (item: unknown): item is BootstrapMember =>
    typeof item === 'object' &&
    item !== null &&
    'ordinal' in item &&
    'replicaId' in item &&
    Number.isInteger(item.ordinal) &&
    Number.isInteger(item.replicaId);
  if (!Array.isArray(value) || !value.every(isMember))
    throw new SyntaxError(`not a list of {ordinal, replicaId}: ${text}`);
  return value;
}

/** Text of `bootstrap.toml`. */
export function bootstrapToml(spec: Pick<LogSetSpec, 'initialConfig'>, members: readonly BootstrapMember[]): string {
  const initial = spec.initialConfig;
  const bootstrap: TomlTable = {
    'bootstrap-cluster': true,
    'init-hakeeper-members': members.map(({ ordinal, replicaId }) => `${replicaId}:${logStoreUuid(ordinal)}`),
    'num-of-dn-shards': BigInt(initial?.dnShards ?? 1),
    'num-of-log-shard-replicas': BigInt(initial?.logShardReplicas ?? members.length),
    'num-of-log-shards': BigInt(initial?.logShards ?? 1),
  };
  if (initial?.restoreFrom) bootstrap.restore = { 'file-path': `BACKUP://${initial.restoreFrom}` };
  return renderToml({ logservice: { BootstrapConfig: bootstrap } });
}

/** Text of `gossip.toml`. */
export function gossipToml(service: LogService): string {
  return renderToml({ logservice: { 'gossip-seed-addresses': gossipSeeds(service) } });
}
