import type { Tracer } from '@opentelemetry/api';
import type { Cache } from '../cache/types.ts';
import type { Client } from '../client/types.ts';
import type { Clock, Logger, Random } from '../core/index.ts';
import type { Elector } from '../election/index.ts';
import type { MetricsRegistry } from '../metrics/index.ts';
import type { Sharder, ShardHandlers, ShardingOptions } from '../sharding/index.ts';
import type { RunningReconciles } from './running-reconciles.ts';
import type { Work } from './work.ts';

/** What a controller takes from its manager. */
export interface ControllerHost {
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: MetricsRegistry;
  /** Told of each reconcile; absent: nobody asks which run. */
  readonly running?: RunningReconciles;
  /** Makes each reconcile a span; absent: none is made. */
  readonly tracer?: Tracer;
  /** The client for one reconcile. */
  clientFor(use: ClientUse): Client;
  /** Takes part in sharing the keys of a controller out. */
  sharderFor(controller: string, options: ShardingOptions, handlers: ShardHandlers): Sharder;
}

/** What the client of one reconcile must heed. */
export interface ClientUse {
  /** Ends its calls, and refuses later ones, when aborted. */
  readonly signal: AbortSignal;
  /** Whether its writes are fenced: only the leader's pass. */
  readonly leaderOnly: boolean;
  /** Fences its writes instead: the lead of the key's shard. */
  readonly lead?: Elector;
  /** The work it is for: comes with the store events of its writes, and is told of them before and after. */
  readonly work: Work;
}
