import { ErrorMessage, errorCode, type lockService } from '@coxswain/operator-matrixone/mo';
import type { Decoded, Encodable } from '@coxswain/operator-matrixone/morpc/protobuf';

type Request = Decoded<typeof lockService.request>;
type Answer = Encodable<typeof lockService.response>;

/** A compute node that has held locks. */
interface Holder {
  /** Open transactions. */
  transactions: number;
  /** Whether it was asked to give its locks to others. */
  restarting: boolean;
}

/** Length of the time of a start that compute nodes put before their id when they speak of themselves. */
const prefixLength = 19;
const uuidLength = 36;

/** Which compute nodes hold locks, and which of them are to go. */
export class LockTable {
  readonly #holders = new Map<string, Holder>();

  /** A node has that many transactions open. One that never had any is not known. */
  note(uuid: string, transactions: number): void {
    const holder = this.#holders.get(uuid);
    if (holder) holder.transactions = transactions;
    else if (transactions > 0) this.#holders.set(uuid, { transactions, restarting: false });
  }

  /** Forgets the nodes that are gone: their transactions ended with them. */
  keepOnly(uuids: readonly string[]): void {
    for (const uuid of this.#holders.keys()) if (!uuids.includes(uuid)) this.#holders.delete(uuid);
  }

  answer({ method, setRestartService, canRestartService, remainTxnInService }: Request): Answer {
    if (setRestartService) {
      const holder = this.#holderOf(setRestartService.serviceId);
      if (holder) holder.restarting = true;
      return { method, setRestartService: { ok: true } };
    }
    if (canRestartService) {
      const holder = this.#holderOf(canRestartService.serviceId);
      return { method, canRestartService: { ok: !holder || (holder.restarting && holder.transactions === 0) } };
    }
    if (remainTxnInService) {
      const holder = this.#holderOf(remainTxnInService.serviceId);
      return { method, remainTxnInService: { remainTxn: holder?.restarting ? holder.transactions : -1 } };
    }
    const error = ErrorMessage.encode({ code: errorCode.notSupported, message: `method ${method} is not supported` });
    return { method, error };
  }

  #holderOf(serviceId: string): Holder | undefined {
    const withPrefix = serviceId.length === prefixLength + uuidLength;
    return this.#holders.get(withPrefix ? serviceId.slice(prefixLength) : serviceId);
  }
}
