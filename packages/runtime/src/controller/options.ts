import { checkNumber, checkOptions, milliseconds, optionNames, someMilliseconds } from '../core/index.ts';
import { type Backoff, checkPace, type RateLimit } from '../queue/index.ts';
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

const names = optionNames<ControllerOptions>({
  workers: true,
  timeout: true,
  backoff: true,
  rate: true,
  debounce: true,
  startup: true,
  startupTimeout: true,
  resync: true,
  leaderOnly: true,
  sharding: true,
});

/**
 * @param controller its name, for errors
 * @throws TypeError for an option that nobody reads, RangeError for a value that makes no sense, naming the option
 */
export function resolveOptions(options: ControllerOptions, controller: string): ResolvedOptions {
  checkControllerOptions(options, controller);
  return {
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
}

/** @throws TypeError for an option that nobody reads, RangeError for a value that makes no sense, naming the option */
export function checkControllerOptions(options: ControllerOptions, controller: string): void {
  const what = `controller ${controller}`;
  checkOptions(what, options, names);
  const { workers, timeout, debounce, startup, startupTimeout, resync, leaderOnly, sharding } = options;
  checkNumber(what, 'workers', workers, { from: 1, whole: true });
  checkNumber(what, 'timeout', timeout, someMilliseconds);
  checkNumber(what, 'debounce', debounce, milliseconds);
  checkNumber(what, 'startupTimeout', startupTimeout, someMilliseconds);
  checkNumber(what, 'resync', resync, someMilliseconds);
  checkPace(what, options);
  if (startup !== undefined && startup !== 'wait' && startup !== 'fail')
    throw new RangeError(`${what}: "startup" is ${JSON.stringify(startup)}; give "wait" or "fail"`);
  if (leaderOnly !== undefined && typeof leaderOnly !== 'boolean')
    throw new RangeError(`${what}: "leaderOnly" is ${JSON.stringify(leaderOnly)}; give true or false`);
  if (sharding === undefined) return;
  checkSharding(sharding);
  if (leaderOnly)
    throw new RangeError(
      `${what}: "sharding" and "leaderOnly": shards are worked by all replicas; leave leaderOnly out`,
    );
}
