import type { Client } from '../client/index.ts';
import { type Clock, checkNumber, checkOptions, type Logger, optionNames, type Random } from '../core/index.ts';
import { checkTimes, defaultTimes, type ElectionTimes } from '../election/index.ts';
import type { MetricsRegistry } from '../metrics/index.ts';

/**
 * How the keys of one controller are shared out among its replicas. All replicas have to say the same. Needs no election of the manager:
 * each shard has its own Lease, by which its writes are fenced. Controllers of the same manager without it do.
 */
export interface ShardingOptions {
  /** Parts the keys are divided into; default 16. More make an evener share and cost a Lease each. At most 256. */
  readonly shards?: number;
  /** Where the Leases are. */
  readonly namespace: string;
  /** The Leases' names begin with it: `NAME-shard-3`, `NAME-member-…`. */
  readonly lease: string;
  /** Of each Lease; default 15/10/2 s. */
  readonly times?: ElectionTimes;
}

/** What a sharder has to tell. */
export interface ShardHandlers {
  /** The shard is ours from now on. */
  gained(shard: number): void;
  /** No key of the shard is begun any more; resolves when none is being worked. */
  drained(shard: number): Promise<void>;
}

/** Which shards a replica shares in, and what it does when they come and go. */
export interface SharderOptions extends ShardingOptions {
  /** Not fenced. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Names this process; must differ between replicas and between starts. */
  readonly identity: string;
  readonly handlers: ShardHandlers;
  readonly metrics?: MetricsRegistry;
}

const mostShards = 256;

/** Defaults may be absent, or there without a value. */
interface Given extends Pick<ShardingOptions, 'namespace' | 'lease'> {
  readonly shards?: number | undefined;
  readonly times?: ElectionTimes | undefined;
}

const names = optionNames<ShardingOptions>({ shards: true, namespace: true, lease: true, times: true });

/** @throws RangeError for what makes no sense, TypeError for an option that nobody reads */
export function checkSharding(options: Given): Required<ShardingOptions> {
  checkOptions('sharding', options, names);
  const { shards = 16, namespace, lease, times } = options;
  checkNumber('sharding', 'shards', shards, { from: 1, to: mostShards, whole: true });
  for (const [name, text] of Object.entries({ namespace, lease })) {
    if (typeof text !== 'string' || !text)
      throw new RangeError(`sharding needs a "namespace" and a "lease" for its Lease objects; "${name}" is missing`);
  }
  return { shards, namespace, lease, times: checkTimes(times ?? defaultTimes) };
}
