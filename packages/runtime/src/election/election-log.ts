import { ApiError, messageOf, Repeats } from '../core/index.ts';
import { leaseTrouble } from './lease-trouble.ts';
import type { ElectorOptions } from './options.ts';

/** What an elector says: who leads, and what keeps it from taking part; the same trouble at growing intervals. */
export class ElectionLog {
  readonly #options: ElectorOptions;
  readonly #fields: { readonly lease: string; readonly identity: string };
  readonly #repeats: Repeats;
  #leader: string | undefined;

  constructor(options: ElectorOptions) {
    const { namespace, lease, identity, clock } = options;
    this.#options = options;
    this.#fields = { lease: `${namespace}/${lease}`, identity };
    this.#repeats = new Repeats(clock);
  }

  /** The lease names this holder. */
  seen(leader: string | undefined): void {
    if (!leader || leader === this.#options.identity || leader === this.#leader) return;
    const fields = { ...this.#fields, leader };
    const waits = this.#leader === undefined ? 'another replica leads; waiting to lead' : 'another replica leads now';
    this.#leader = leader;
    this.#options.log.info(fields, waits);
  }

  leading(): void {
    this.#options.log.info(this.#fields, 'leading');
  }

  failed(error: unknown, leads: boolean): void {
    const why = leaseTrouble(error, this.#options.namespace, 'get, create and update');
    const message = `the lease could not be ${leads ? 'renewed' : 'taken'}${why}; trying again`;
    if (!this.#repeats.due(`${message} ${messageOf(error)}`)) return;
    const fields = error instanceof ApiError ? { code: error.code, said: error.message } : { err: error };
    this.#options.log.warn({ ...this.#fields, ...fields }, message);
  }

  /** The server has said how it is with the lease. */
  answered(): void {
    if (this.#repeats.over()) this.#options.log.info(this.#fields, 'the lease can be read and written again');
  }
}
