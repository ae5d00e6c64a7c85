import type { Kind } from '@coxswain/k8s';
import { ApiError, type Clock, type Logger, Repeats } from '../core/index.ts';
import { describeKind, refusalOf } from './refusal-of.ts';

/** What a watcher tells of answers by which the server refuses its kind. */
export interface RefusalOptions {
  readonly kind: Kind;
  /** Absent: all. */
  readonly namespace?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * A kind that is not served, or may not be read, stays so until somebody does something about it: this
 * says what, when it begins and at growing intervals, and when it is over.
 */
export class Refusals {
  readonly #options: RefusalOptions;
  readonly #repeats: Repeats;

  constructor(options: RefusalOptions) {
    this.#options = options;
    this.#repeats = new Repeats(options.clock);
  }

  /** @returns whether the error is such a refusal: then it is told here, or has been a short while ago */
  tell(error: unknown): boolean {
    const { kind, namespace } = this.#options;
    const message = refusalOf(kind, error, namespace);
    if (message === undefined || !(error instanceof ApiError)) return false;
    this.#say(message, { code: error.code, said: error.message });
    return true;
  }

  /** The server gives what was asked for. */
  over(): void {
    if (this.#repeats.over()) this.#options.log.info({}, `${describeKind(this.#options.kind)} can be read now`);
  }

  #say(message: string, fields: object): void {
    if (this.#repeats.due(message)) this.#options.log.warn(fields, `${message}; it is tried again until then`);
  }
}
