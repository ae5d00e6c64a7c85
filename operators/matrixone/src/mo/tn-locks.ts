import type { CallOptions, MorpcClient } from '../morpc/index.ts';
import { partOf } from './ask.ts';
import { type LockMethod, lockMethods, lockService } from './messages/lock-service.ts';

/**
 * Asks a transaction node whether a compute node's locks are in the way of its end. `address` is the `lockServiceAddress` of a TN in the
 * cluster's details, read anew each time: a TN that was replaced has another. `uuid` is the compute node's.
 *
 * All calls throw `CallError` or `MatrixOneError`; an error is never "no locks".
 */
export interface TnLocks {
  /** Whether the node can go. One that the TN does not know, as it never took a lock, can. */
  canRestart(address: string, uuid: string, options?: CallOptions): Promise<boolean>;
  /** Asks the node to give its locks to others; to be asked once. Says whether that was accepted, which it also is for a node nobody knows. */
  setRestart(address: string, uuid: string, options?: CallOptions): Promise<boolean>;
  /** Open transactions that hold locks; `undefined` when the TN cannot tell, as before {@link setRestart}. */
  remainingTransactions(address: string, uuid: string, options?: CallOptions): Promise<number | undefined>;
}

/** The lock service of transaction nodes, over this client's connections. */
export function tnLocks(client: MorpcClient): TnLocks {
  const ask = async (key: LockMethod, address: string, uuid: string, options: CallOptions | undefined) => {
    const method = lockMethods[key];
    const request = { method, [key]: { serviceId: uuid } };
    const answer = await client.call(lockService, address, key, request, options);
    return { place: { address, method: key }, method, answer };
  };
  return {
    async canRestart(address, uuid, options) {
      const { place, method, answer } = await ask('canRestartService', address, uuid, options);
      return partOf(place, method, answer, answer.canRestartService).ok;
    },
    async setRestart(address, uuid, options) {
      const { place, method, answer } = await ask('setRestartService', address, uuid, options);
      return partOf(place, method, answer, answer.setRestartService).ok;
    },
    async remainingTransactions(address, uuid, options) {
      const { place, method, answer } = await ask('remainTxnInService', address, uuid, options);
      const { remainTxn } = partOf(place, method, answer, answer.remainTxnInService);
      return remainTxn < 0 ? undefined : remainTxn;
    },
  };
}
