/** The expression engine as admission uses it. Loaded by those who have expressions to evaluate: it takes its time. */
export { compile, unusable } from './compiled.ts';
export { evaluationError, holds, outOfBudget } from './conditions.ts';
export { environmentFor, type Mode, type Uses, withVariables } from './environments.ts';
export { admissionVariables, type Variables } from './variables.ts';
