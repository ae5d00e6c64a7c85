import { CelError, noSuchOverload } from '../values/errors.ts';
import type { Step } from './frame.ts';

/** `&&` and `||`: an operand that decides wins over errors of the others. */
export function logical(terms: readonly Step[], decisive: boolean): Step {
  return (frame) => {
    let failure: CelError | undefined;
    for (const term of terms) {
      try {
        const value = term(frame);
        if (value === decisive) return decisive;
        if (value !== !decisive) failure ??= noSuchOverload();
      } catch (error) {
        if (!(error instanceof CelError)) throw error;
        failure ??= error;
      }
    }
    if (failure) throw failure;
    return !decisive;
  };
}

export function conditional(condition: Step, yes: Step, no: Step): Step {
  return (frame) => {
    const value = condition(frame);
    if (value === true) return yes(frame);
    if (value === false) return no(frame);
    throw noSuchOverload();
  };
}
