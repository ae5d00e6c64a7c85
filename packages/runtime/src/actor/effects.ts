import type { KubeObject } from '@coxswain/k8s';
import type { Cache } from '../cache/types.ts';
import type { Client } from '../client/index.ts';
import { guardedClient, type WriteTarget } from '../election/index.ts';

/** Counts the writes that changed something. */
export interface Effects {
  readonly client: Client;
  /** Writes so far after which an object was not as it was before. */
  readonly count: number;
}

/**
 * A client whose effective writes are counted. A write that the server answered with the version that the store already
 * had changed nothing, and neither did one whose answer shows somebody else's version while the store's object already said all
 * of it. Of kinds without an informer every write counts.
 */
export function countingEffects(client: Client, cache: Cache): Effects {
  const effects = { client, count: 0 };
  effects.client = guardedClient(client, {
    read: () => undefined,
    write: () => undefined,
    track(target) {
      const known = target && cache.has(target.kind) ? cache.store(target.kind).get(target.key) : undefined;
      return ({ ok, answer }) => {
        if (ok && (!known || !answer || hasEffect(target, known, answer))) effects.count++;
      };
    },
  });
  return effects;
}

function hasEffect(target: WriteTarget | undefined, known: KubeObject, answer: KubeObject): boolean {
  if (answer.metadata.resourceVersion === known.metadata.resourceVersion) return false;
  return target?.hasEffect?.(known, answer) ?? true;
}
