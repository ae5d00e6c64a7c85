import type { Cache } from '../cache/types.ts';
import type { Client } from '../client/index.ts';
import { guardedClient } from '../election/index.ts';

/** Counts the writes that changed something. */
export interface Effects {
  readonly client: Client;
  /** Writes so far after which an object was not as it was before. */
  readonly count: number;
}

/**
 * A client whose effective writes are counted. A write that the server answered with the version that the store already
 * had changed nothing; of kinds without an informer every write counts.
 */
export function countingEffects(client: Client, cache: Cache): Effects {
  const effects = { client, count: 0 };
  effects.client = guardedClient(client, {
    read: () => undefined,
    write: () => undefined,
    track(target) {
      const known = target && cache.has(target.kind) ? cache.store(target.kind).get(target.key) : undefined;
      const before = known?.metadata.resourceVersion;
      return ({ ok, answer }) => {
        if (ok && (before === undefined || answer?.metadata.resourceVersion !== before)) effects.count++;
      };
    },
  });
  return effects;
}
