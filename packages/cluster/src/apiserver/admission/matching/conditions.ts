import { perCallLimit } from '@coxswain/schema/cel';
import { compile } from './compiled.ts';
import { environmentFor, type Uses } from './environments.ts';
import type { Variables } from './variables.ts';

/** Units of cost that all match conditions of one webhook or policy may use for one request. */
const conditionBudget = 2_500_000;

export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

export const evaluationError = (text: string, error: string): string =>
  `expression '${text}' resulted in error: ${error}`;

/** Whether all match conditions hold. One that is false decides, errors or not. */
export function holds(
  conditions: readonly string[],
  variables: Variables,
  uses: Uses,
): boolean | { readonly error: string } {
  const environment = environmentFor(uses, 'stored');
  const errors: string[] = [];
  let left = conditionBudget;
  for (const text of conditions) {
    const expression = compile(text, environment);
    if ('kind' in expression) {
      errors.push(`compilation error: compilation failed: ${expression.message}`);
      continue;
    }
    const outcome = expression.evaluate(variables, Math.min(left, perCallLimit));
    left -= outcome.cost;
    if (left < 0) return { error: outOfBudget };
    if ('error' in outcome) errors.push(evaluationError(text, outcome.error));
    else if (outcome.value !== true) return false;
  }
  if (errors.length === 0) return true;
  return { error: errors.length === 1 ? (errors[0] ?? '') : `[${[...new Set(errors)].join(', ')}]` };
}
