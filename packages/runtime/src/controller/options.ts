import type { Backoff, RateLimit } from '../queue/index.ts';
import { checkSharding, type ShardingOptions } from '../sharding/index.ts';
import type { ControllerOptions } from './types.ts';

/** {@link ControllerOptions} with every default filled in. */
export interface ResolvedOptions {
  readonly workers: number;
  readonly timeout: number;
  readonly backoff: Backoff;
  readonly rate: RateLimit | undefined;
  readonly debounce: number;
  /** Milliseconds until the start fails when a kind is not listed; `undefined`: it waits. */
  readonly startupTimeout: number | undefined;
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
    rate: options.rate,
    debounce: options.debounce ?? 0,
    startupTimeout: options.startup === 'fail' ? (options.startupTimeout ?? 60_000) : undefined,
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
  checkPace(resolved);
  if (resolved.sharding && resolved.leaderOnly) {
    throw new RangeError(
      'controller options "sharding" and "leaderOnly": shards are worked by all replicas; leave leaderOnly out',
    );
  }
  return resolved;
}

function checkPace({ rate, debounce, startupTimeout }: ResolvedOptions): void {
  if (rate && !(rate.perSecond > 0 && rate.burst >= 1)) {
    throw new RangeError(
      `controller option "rate" is ${rate.perSecond} a second after ${rate.burst}; give perSecond above 0, burst from 1`,
    );
  }
  if (!(debounce >= 0)) {
    throw new RangeError(`controller option "debounce" is ${debounce}; give milliseconds from 0`);
  }
  if (startupTimeout !== undefined && !(startupTimeout > 0)) {
    throw new RangeError(`controller option "startupTimeout" is ${startupTimeout}; give milliseconds above 0`);
  }
}
