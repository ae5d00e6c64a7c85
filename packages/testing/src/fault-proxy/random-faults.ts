import type { Random } from '@coxswain/runtime/core';
import type { FaultScript, NetworkFault, ScriptedFault } from './types.ts';

export interface RandomFaultsOptions {
  readonly random: Random;
  readonly count: number;
  /** Milliseconds within which they begin. */
  readonly within: number;
  /** Milliseconds that one lasts at most; default 500. */
  readonly longest?: number;
}

/** A script of faults of all kinds: the same from the same seed. */
export function randomFaults({ random, count, within, longest = 500 }: RandomFaultsOptions): FaultScript {
  const upTo = (limit: number) => 1 + Math.floor(random.next() * limit);
  const statuses = [410, 429, 500, 503] as const;
  const makers: readonly (() => NetworkFault)[] = [
    () => ({ fault: 'reset' }),
    () => ({ fault: 'halfOpen', ms: upTo(longest) }),
    () => ({ fault: 'delay', ms: upTo(longest / 5), lasts: upTo(longest) }),
    () => ({ fault: 'slow', bytesPerSecond: 1_000 * upTo(100), lasts: upTo(longest) }),
    () => ({ fault: 'truncate', times: upTo(3) }),
    () => {
      const status = statuses[Math.floor(random.next() * statuses.length)] ?? 500;
      // only what is read can have expired
      const match = status === 410 ? { match: { verb: ['list', 'watch'] } } : {};
      return { fault: 'answer', status, lasts: upTo(longest), ...match };
    },
  ];
  const one = (): ScriptedFault => {
    const make = makers[Math.floor(random.next() * makers.length)] ?? (() => ({ fault: 'reset' }));
    return { at: Math.floor(random.next() * within), what: make() };
  };
  return Array.from({ length: count }, one).sort((a, b) => a.at - b.at);
}
