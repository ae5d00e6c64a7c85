import { CelCancelled } from '../values/errors.ts';
import type { Value } from '../values/value.ts';

/** The state of one evaluation: variables by slot, and what it has cost so far. */
export class Frame {
  readonly slots: (Value | undefined)[];
  readonly limit: number;
  cost = 0;

  constructor(slots: (Value | undefined)[], limit: number) {
    this.slots = slots;
    this.limit = limit;
  }

  /** @throws {CelCancelled} when the limit is passed */
  charge(amount: number): void {
    this.cost += amount;
    if (this.cost > this.limit) throw new CelCancelled();
  }
}

/** A part of an expression, ready to run. Throws {@link CelError} for errors of the expression. */
export type Step = (frame: Frame) => Value;
