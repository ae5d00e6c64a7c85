import { ConnectionError } from '../client/index.ts';
import { ApiError, type Clock, type Logger, messageOf, Repeats } from '../core/index.ts';
import type { Outage } from './outage.ts';
import type { Refusals } from './refusals.ts';
import { isOutage } from './watch-errors.ts';

interface Parts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly outage: Outage;
  readonly refusals?: Refusals | undefined;
}

/** What a watcher goes on with after a failure. */
interface Then {
  readonly next: 'list' | 'watch';
  readonly waitMs: number;
  /** Failures in a row. */
  readonly attempts: number;
}

/** Milliseconds after which a connection that breaks was a good one. */
const lasting = 5_000;
/** So many in a row that were not, and it is told. */
const tooMany = 3;
/** Milliseconds for which nobody has heard of a server that is out of reach; when somebody has, it may be this watcher's trouble alone. */
const silent = 2_000;
/** Milliseconds for which a watcher may be the only one who hears nothing, before it is told. */
const patience = 30_000;

/**
 * Tells of the failures of one watcher, none at each try: a server that answers nobody is told once for all watchers ({@link Outage}), a
 * kind that is refused by {@link Refusals}, and any other failure here, when it begins and at growing intervals. A connection that
 * breaks now and then is told for debugging only.
 */
export class WatchFailures {
  readonly #parts: Parts;
  readonly #repeats: Repeats;
  #contactsBefore = 0;
  #heardSince: number | undefined;
  /** When the first try failed since the last contact, while others heard of the server. */
  #unheardSince: number | undefined;
  /** Connections in a row that did not last. */
  #breaks = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#repeats = new Repeats(parts.clock, { forgottenAfter: 120_000 });
  }

  /** Another try begins. */
  tries(): void {
    this.#contactsBefore = this.#parts.outage.contacts;
    this.#heardSince = undefined;
  }

  /** The server was heard of in this try. */
  heard(): void {
    this.#heardSince ??= this.#parts.clock.monotonic();
    this.#unheardSince = undefined;
  }

  tell(error: unknown, { next, ...fields }: Then): void {
    const { log, outage, refusals } = this.#parts;
    if (refusals?.tell(error)) return;
    const said = messageOf(error);
    const unheard = isOutage(error) && outage.contacts === this.#contactsBefore;
    if (unheard && outage.silence >= silent) outage.tell(said);
    else if (this.#mayPass(error, unheard)) log.debug({ said, ...fields }, 'the watch broke off; trying again');
    else {
      const what = next === 'list' ? 'out of step with the server; listing again' : 'the watch failed; trying again';
      const code = error instanceof ApiError ? { code: error.code } : {};
      if (this.#repeats.due(`${what} ${JSON.stringify(code)}`)) log.warn({ ...code, said, ...fields }, what);
    }
  }

  /** Connections break now and then, and the next one lasts; or none comes about, of which all are told a moment later. */
  #mayPass(error: unknown, unheard: boolean): boolean {
    const now = this.#parts.clock.monotonic();
    if (unheard) {
      this.#unheardSince ??= now;
      return now - this.#unheardSince < patience;
    }
    if (!(error instanceof ConnectionError) || this.#heardSince === undefined) return false;
    this.#breaks = now - this.#heardSince >= lasting ? 0 : this.#breaks + 1;
    return this.#breaks < tooMany;
  }
}
