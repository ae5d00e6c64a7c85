import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { type CnStoreService, hakeeperCnStores, unmanagedCnStores } from '../cnstore/index.ts';
import type { Dial, FinishedCall } from '../morpc/index.ts';

/** What the service is made of; the gate `cnLabel` says which it is. */
export interface CnStoresOptions {
  /** Whether HAKeeper is asked. Without it nodes serve while their pods are ready: none stays unready for ever. */
  readonly cnLabel: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How connections are made. Default: TCP, with the names of the pod's resolver. */
  readonly dial?: Dial;
  /** Is told of each call when it is over: for metrics. */
  readonly onCall?: (call: FinishedCall) => void;
}

/** The service that puts compute nodes into and out of service, with its connections' life tied to the manager's. */
export function addCnStores(manager: Pick<Manager, 'add'>, { cnLabel, ...options }: CnStoresOptions): CnStoreService {
  if (!cnLabel) return unmanagedCnStores;
  const stores = hakeeperCnStores(options);
  manager.add({ name: 'cn-stores', start: () => Promise.resolve(), stop: async () => stores.close() });
  return stores;
}
