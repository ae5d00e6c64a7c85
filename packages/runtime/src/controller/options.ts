import type { Backoff } from '../queue/index.ts';
import { checkSharding, type ShardingOptions } from '../sharding/index.ts';
import type { ControllerOptions } from './types.ts';

/** {@link ControllerOptions} with every default filled in. */
export interface ResolvedOptions {
  readonly workers: number;
  readonly timeout: number;
  readonly backoff: Backoff;
  readonly resync: number | undefined;
  readonly leaderOnly: boolean;
  readonly sharding: ShardingOptions | undefined;
}

/** @throws RangeError for a number that makes no sense, naming the option */
export function resolveOptions(options: ControllerOptions): ResolvedOptions {
  const resolved = {
    workers: options.workers ?? 16,
    timeout: options.timeout ?? 300_000,
    backoff: options.backoff ?? { min: 5, max: 300_000 },
    resync: options.resync,
    leaderOnly: options.leaderOnly ?? options.sharding === undefined,
    sharding: options.sharding && checkSharding(options.sharding),
  };
  if (!Number.isInteger(resolved.workers) || resolved.workers < 1) {
    throw new RangeError(`controller option "workers" is ${resolved.workers}; give a whole number from 1`);
  }
  if (!(resolved.timeout > 0)) {
    throw new RangeError(`controller option "timeout" is ${resolved.timeout}; give milliseconds above 0`);
  }
  const { min, max } = resolved.backoff;
  if (!(min > 0 && max >= min)) {
    throw new RangeError(`controller option "backoff" is ${min}..${max}; give 0 < min ≤ max, in milliseconds`);
  }
  if (resolved.resync !== undefined && !(resolved.resync > 0)) {
    throw new RangeError(`controller option "resync" is ${resolved.resync}; give milliseconds above 0`);
  }
  if (resolved.sharding && resolved.leaderOnly) {
    throw new RangeError(
      'controller options "sharding" and "leaderOnly": shards are worked by all replicas; leave leaderOnly out',
    );
  }
  return resolved;
}
