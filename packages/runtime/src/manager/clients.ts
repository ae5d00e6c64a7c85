import { type Cache, type OwnWriteSink, withReadYourWrites } from '../cache/index.ts';
import type { Client } from '../client/index.ts';
import { type ClientUse, ControllerStopped } from '../controller/index.ts';
import { type Elector, fenced, guardedClient } from '../election/index.ts';

/** The clients a manager hands out, all over the one it was given. */
export interface Clients {
  /** Writes show in the stores at once; fenced when there is an election. */
  readonly shared: Client;
  /** For one reconcile; see {@link ClientUse}. */
  clientFor(use: ClientUse): Client;
}

/** base → fence (only the leader writes) → signal (this reconcile is still wanted) → stores (what was written shows). */
export function managerClients(base: Client, cache: Cache & OwnWriteSink, elector: Elector | undefined): Clients {
  const leader = elector ? fenced(base, elector) : base;
  return {
    shared: withReadYourWrites(leader, cache),
    clientFor({ signal, leaderOnly, work, lead }) {
      const check = () => {
        signal.throwIfAborted();
        return signal;
      };
      const cut = lazyCut(signal);
      const write = () => {
        signal.throwIfAborted();
        return cut();
      };
      const guard = { read: check, write, gate: check, track: work.track, began: work.began };
      const outer = lead ? fenced(base, lead) : leaderOnly ? leader : base;
      return withReadYourWrites(guardedClient(outer, guard), cache, work);
    },
  };
}

/**
 * What cuts the writes of a reconcile off: its signal, but for the stop of its controller. A write that is under way then gets its
 * answer, so that nobody need wait for what may still arrive; the fence cuts it off if it takes too long.
 */
function lazyCut(signal: AbortSignal): () => AbortSignal {
  let cut: AbortController | undefined;
  return () => {
    if (cut) return cut.signal;
    const made = new AbortController();
    const onAbort = () => signal.reason instanceof ControllerStopped || made.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    cut = made;
    return made.signal;
  };
}

/** The client of the election: the cache hears of each write of it that the server answers. */
export function heardClient(base: Client, cache: OwnWriteSink): Client {
  const pass = () => undefined;
  return guardedClient(base, {
    read: pass,
    write: pass,
    track:
      () =>
      ({ ok }) =>
        void (ok && cache.heard()),
  });
}
