import type { Value } from '@coxswain/schema/cel';
import { holds, type Variables } from '../matching/expressions.ts';
import { BudgetError, Evaluation, type Worked } from './evaluation.ts';
import type { ValidatingPolicy, Validation } from './policy.ts';

/** A validation that failed, or could not be worked out. */
export interface Failure {
  /** Its place in the policy. */
  readonly index: number;
  readonly message: string;
  /** Of the answer; `''` for the default. */
  readonly reason: string;
}

/** What a policy, with one set of parameters, says about a write. */
export interface Verdict {
  readonly failures: readonly Failure[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /** Why annotations cannot be made. They refuse the write whatever the binding says. */
  readonly broken: readonly string[];
}

/** Bytes above which the text of a message expression is not used. */
const longestMessage = 5 * 1024;

const empty: Verdict = { failures: [], annotations: [], broken: [] };

function messageOf({ expression, message }: Validation, made: Worked | undefined): string {
  const text = made && 'value' in made && typeof made.value === 'string' ? made.value.trim() : '';
  const usable = text !== '' && Buffer.byteLength(text) <= longestMessage && !text.includes('\n');
  return usable ? text : message || `failed expression: ${expression.trim()}`;
}

/** Runs a group of expressions; the budget may end it. */
function within<T>(work: () => T): T | BudgetError {
  try {
    return work();
  } catch (error) {
    if (error instanceof BudgetError) return error;
    throw error;
  }
}

function failuresOf(policy: ValidatingPolicy, values: Variables): readonly Failure[] {
  const evaluation = new Evaluation(policy, values, { authorizer: true });
  const failed = (index: number, message: string): Failure[] =>
    policy.ignoresFailures ? [] : [{ index, message, reason: '' }];
  const outcomes = within(() => policy.validations.map(({ expression }) => evaluation.value(expression)));
  if (outcomes instanceof BudgetError) return failed(0, outcomes.message);
  const speaking = new Evaluation(policy, values, { authorizer: false }, evaluation.left);
  const messages = within(() =>
    policy.validations.map(({ messageExpression }) =>
      messageExpression === '' ? undefined : speaking.value(messageExpression),
    ),
  );
  return policy.validations.flatMap((validation, index) => {
    const outcome = outcomes[index];
    if (!outcome) return [];
    if ('error' in outcome) return failed(index, outcome.error);
    if (messages instanceof BudgetError) return failed(index, `failed messageExpression: ${messages.message}`);
    if (outcome.value === true) return [];
    return [{ index, message: messageOf(validation, messages[index]), reason: validation.reason }];
  });
}

function annotationOf(expression: string, value: Value): { readonly value?: string; readonly error?: string } {
  if (value === null) return {};
  if (typeof value === 'string') return value.trim() === '' ? {} : { value: value.trim() };
  const what = `valueExpression '${expression}' resulted in unsupported return type`;
  return { error: `${what}: ${typeof value}. Return type must be either string or null.` };
}

function annotate(policy: ValidatingPolicy, values: Variables, verdict: Verdict): Verdict {
  if (policy.annotations.length === 0) return verdict;
  const evaluation = new Evaluation(policy, { ...values, authorizer: undefined }, { authorizer: true });
  const outcomes = within(() => policy.annotations.map(({ expression }) => evaluation.value(expression)));
  if (outcomes instanceof BudgetError) {
    return { ...empty, failures: policy.ignoresFailures ? [] : [{ index: 0, message: outcomes.message, reason: '' }] };
  }
  const annotations: { key: string; value: string }[] = [];
  const broken: string[] = [];
  for (const [i, { key, expression }] of policy.annotations.entries()) {
    const outcome = outcomes[i];
    if (!outcome) continue;
    if ('error' in outcome) {
      if (!policy.ignoresFailures) broken.push(outcome.error);
      continue;
    }
    const { value, error } = annotationOf(expression, outcome.value);
    if (error !== undefined) broken.push(error);
    else if (value !== undefined) annotations.push({ key, value });
  }
  return { ...verdict, annotations, broken };
}

/** What a policy, with one set of parameters, holds against a write. `values`: what its expressions see. */
export function verdictOf(policy: ValidatingPolicy, values: Variables): Verdict {
  const meant = holds(policy.conditions, values, { params: policy.paramKind !== undefined, authorizer: true });
  if (meant === false) return empty;
  if (meant !== true) {
    const failures = policy.ignoresFailures ? [] : [{ index: 0, message: meant.error, reason: '' }];
    return { ...empty, failures };
  }
  return annotate(policy, values, { ...empty, failures: failuresOf(policy, values) });
}
