import type { Clock, Random } from '@coxswain/runtime/core';
import { matcher, type RequestFacts } from './match.ts';
import type { FaultCounts, FaultHandle, FaultRule } from './types.ts';

/** A rule in force: it counts, and decides whose turn it is. */
export class ActiveRule implements FaultHandle {
  readonly id: string;
  readonly rule: FaultRule;
  readonly remove: () => void;
  readonly #matches: (facts: RequestFacts) => boolean;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #since: number;
  #matched = 0;
  #fired = 0;

  constructor(
    id: string,
    rule: FaultRule,
    remove: () => void,
    { clock, random }: { readonly clock: Clock; readonly random: Random },
  ) {
    this.id = id;
    this.rule = rule;
    this.remove = remove;
    this.#matches = matcher(rule.match);
    this.#clock = clock;
    this.#random = random;
    this.#since = clock.monotonic();
  }

  get counts(): FaultCounts {
    return { matched: this.#matched, fired: this.#fired };
  }

  /** Whether the fault is to be done to this request. */
  strikes(facts: RequestFacts): boolean {
    if ('watch' in this.rule.action && facts.verb !== 'watch') return false;
    if (!this.#matches(facts)) return false;
    this.#matched++;
    if (!this.#due()) return false;
    this.#fired++;
    return true;
  }

  #due(): boolean {
    const { nth, every, probability, times, after = 0, until = Number.POSITIVE_INFINITY } = this.rule.when ?? {};
    if (nth !== undefined && this.#matched !== nth) return false;
    if (every !== undefined && this.#matched % every !== 0) return false;
    if (times !== undefined && this.#fired >= times) return false;
    const age = this.#clock.monotonic() - this.#since;
    if (age < after || age >= until) return false;
    return probability === undefined || this.#random.next() < probability;
  }
}
