import { type Cache, type OwnWriteSink, withReadYourWrites } from '../cache/index.ts';
import type { Client } from '../client/index.ts';
import type { ClientUse } from '../controller/index.ts';
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
      const guard = { read: check, write: check, track: work.track };
      const outer = lead ? fenced(base, lead) : leaderOnly ? leader : base;
      return withReadYourWrites(guardedClient(outer, guard), cache, work);
    },
  };
}
