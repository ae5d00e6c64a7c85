import { apiVersionOf, type Kind, resourceName } from '@coxswain/k8s';
import { ApiError, type Clock, type Logger } from '../core/index.ts';

/** Milliseconds until the same refusal is told again, each time twice as long. */
const firstPause = 60_000;
const longestPause = 3_600_000;

/** What a watcher tells of answers by which the server refuses its kind. */
export interface RefusalOptions {
  readonly kind: Kind;
  /** Absent: all. */
  readonly namespace?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * A kind that is not served, or may not be read, stays so until somebody does something about it: this says what, when it begins and at
 * growing intervals, and when it is over.
 */
export class Refusals {
  readonly #options: RefusalOptions;
  #told: string | undefined;
  #next = 0;
  #pause = firstPause;

  constructor(options: RefusalOptions) {
    this.#options = options;
  }

  /** @returns whether the error is such a refusal: then it is told here, or has been a short while ago */
  tell(error: unknown): boolean {
    if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 403)) return false;
    const { clock, log } = this.#options;
    const message = error.code === 404 ? this.#notServed() : this.#forbidden(error.message);
    const now = clock.monotonic();
    if (message !== this.#told) this.#pause = firstPause;
    else if (now < this.#next) return true;
    this.#told = message;
    this.#next = now + this.#pause;
    this.#pause = Math.min(this.#pause * 2, longestPause);
    log.warn({ code: error.code, said: error.message }, `${message}; it is tried again until then`);
    return true;
  }

  /** The server gives what was asked for. */
  over(): void {
    if (this.#told === undefined) return;
    this.#told = undefined;
    this.#options.log.info({}, `${this.#what} can be read now`);
  }

  get #what(): string {
    const { kind } = this.#options;
    return `${kind.plural} of ${apiVersionOf(kind)}`;
  }

  #notServed(): string {
    const { kind } = this.#options;
    const remedy = isBuiltIn(kind)
      ? 'it needs an API server that has this API and version turned on'
      : `install the CRD ${resourceName(kind)}`;
    return `the server does not serve ${this.#what}: ${remedy}`;
  }

  #forbidden(said: string): string {
    const { kind, namespace } = this.#options;
    const verb = /\bcannot (\w+) resource\b/.exec(said)?.[1];
    const role = namespace ? `its Role in namespace ${namespace}, or its ClusterRole,` : 'its ClusterRole';
    const lacks = verb ? `lacks the verb "${verb}"` : 'lacks a verb';
    return `${this.#what} may not be read: ${role} ${lacks} on ${kind.plural} in the API group "${kind.group}" (it needs list and watch)`;
  }
}

/** Groups of Kubernetes itself have no dot, or end as only its own may. */
function isBuiltIn({ group }: Kind): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}
