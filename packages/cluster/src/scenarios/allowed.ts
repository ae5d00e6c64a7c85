import type { Difference } from './compare.ts';

/** A difference that is known and accepted. What is left out matches everywhere. */
export interface Allowance {
  readonly scenario?: RegExp;
  /** Of {@link Difference.place}. */
  readonly place: RegExp;
  /** Of what the embedded cluster showed. */
  readonly embedded?: RegExp;
  /** Of what the real one showed. */
  readonly real?: RegExp;
  /** Why it is so, and why that is all right; or `Gap: …`. */
  readonly reason: string;
}

/** Every accepted difference to a real cluster, with its reason. */
export const allowances: readonly Allowance[] = [];

/** The allowance that covers a difference, if any. */
export function allowanceFor(scenario: string, { place, real, embedded }: Difference): Allowance | undefined {
  return allowances.find(
    (one) =>
      (one.scenario?.test(scenario) ?? true) &&
      one.place.test(place) &&
      (one.real?.test(real) ?? true) &&
      (one.embedded?.test(embedded) ?? true),
  );
}
