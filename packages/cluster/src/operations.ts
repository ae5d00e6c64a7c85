import type { Clock, Random } from '@coxswain/runtime/core';
import { healthRoute } from './apiserver/discovery/index.ts';
import type { ApiServer, NonResourceRoute } from './apiserver/index.ts';
import {
  type HealthState,
  healthChecks,
  InFlightLimit,
  metricsRoute,
  RequestMetrics,
} from './apiserver/operations/index.ts';
import { createFaults, type Faults, faultRoute } from './faults/index.ts';
import type { ApiHandler } from './http/index.ts';
import type { Storage } from './storage/types.ts';

export interface OperationsOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: Random;
  readonly mutating?: number;
  readonly readOnly?: number;
}

/** What stands around an API server: health, metrics, overload protection, and the faults that tests ask for. */
export interface Operations {
  readonly routes: readonly NonResourceRoute[];
  readonly limit: InFlightLimit;
  readonly faults: Faults;
  readonly health: HealthState;
  /** Forgets all past states; answers the revision that is now the oldest. */
  compactNow(): number;
  /** The server's handler with counting and faults around it, for every door. */
  around(api: ApiServer): ApiHandler;
  close(): void;
}

export function openOperations(options: OperationsOptions): Operations {
  const { storage, clock, random, mutating, readOnly } = options;
  const health: HealthState = { crds: false, stopping: false };
  const requests = new RequestMetrics(clock);
  const limit = new InFlightLimit({
    clock,
    ...(mutating === undefined ? {} : { mutating }),
    ...(readOnly === undefined ? {} : { readOnly }),
  });
  const faults = createFaults({ clock, random });
  const metrics = metricsRoute({ requests, limit, storage });
  const compactNow = () => {
    storage.compact(storage.revision);
    return storage.compacted;
  };
  return {
    routes: [healthRoute(healthChecks(storage, health)), metrics, faultRoute(faults, { compactNow })],
    limit,
    faults,
    health,
    compactNow,
    around: (api) => requests.around(faults.around(api.handle.bind(api)), api.registry),
    close: () => metrics.close(),
  };
}
