import type { DynamicObject } from '@coxswain/k8s';
import { dynamicValue, type Environment, extendEnvironment, parseType, perCallLimit } from '@coxswain/schema/cel';
import type { Authorizer } from '../../authorization/index.ts';
import type { AdmissionAttributes, ResourceInfo } from '../../types.ts';
import {
  admissionEnvironment,
  admissionVariables,
  compile,
  evaluationError,
  holds,
  outOfBudget,
  type Variables,
} from '../matching/expressions.ts';
import type { Policy, Validation } from './policy.ts';

/** A validation that failed, or could not be worked out. */
export interface Failure {
  readonly message: string;
  /** Of the answer; `''` for the default. */
  readonly reason: string;
}

export interface Subject {
  readonly attributes: AdmissionAttributes;
  /** The version of the resource that the policy is written for. */
  readonly resource: ResourceInfo;
  readonly params: DynamicObject | undefined;
  /** Of the object; absent at cluster scope. */
  readonly namespace: DynamicObject | undefined;
  readonly authorizer: Authorizer | undefined;
}

/** Units of cost that the validations of a policy may use for one request. */
const budget = 10_000_000;
/** Bytes above which the text of a message expression is not used. */
const longestMessage = 5 * 1024;

const prefix = 'variables.';

const environments = new WeakMap<Policy, Environment>();

/** The variables of a policy are names like any other; each sees those before it. */
function environmentOf(policy: Policy): Environment {
  let environment = environments.get(policy);
  if (!environment) {
    environment = admissionEnvironment;
    for (const { name, expression } of policy.variables) {
      const made = compile(expression, environment);
      const type = typeof made === 'string' ? parseType('dyn') : made.type;
      environment = extendEnvironment(environment, { variables: { [`${prefix}${name}`]: type } });
    }
    environments.set(policy, environment);
  }
  return environment;
}

/** What an expression came to. `error` names the expression, `why` does not. */
type Worked = { readonly value: Variables[string] } | { readonly error: string; readonly why: string };

/** What is spent, and what the variables of the policy came to. */
class Evaluation {
  readonly #environment: Environment;
  readonly #values: Record<string, Variables[string]>;
  readonly #broken = new Map<string, string>();
  #left = budget;

  constructor(policy: Policy, values: Variables) {
    this.#environment = environmentOf(policy);
    this.#values = { ...values };
    for (const { name, expression } of policy.variables) {
      const outcome = this.value(expression);
      if ('error' in outcome) this.#broken.set(`${prefix}${name}`, outcome.why);
      else this.#values[`${prefix}${name}`] = outcome.value;
    }
  }

  value(text: string): Worked {
    const expression = compile(text, this.#environment);
    if (typeof expression === 'string') return { error: expression, why: expression };
    const outcome = expression.evaluate(this.#values, Math.min(this.#left, perCallLimit));
    this.#left -= outcome.cost;
    if (this.#left < 0) return { error: outOfBudget, why: outOfBudget };
    if (!('error' in outcome)) return outcome;
    // A variable that failed has no value: reading it is what fails here.
    const [name, reason] = [...this.#broken].find(([one]) => expression.uses(one)) ?? [];
    const why =
      name === undefined
        ? outcome.error
        : `composited variable "${name.slice(prefix.length)}" fails to evaluate: ${reason}`;
    return { error: evaluationError(text, why), why };
  }
}

function messageOf({ expression, message, messageExpression }: Validation, evaluation: Evaluation): string {
  const made = messageExpression === '' ? undefined : evaluation.value(messageExpression);
  const text = made && 'value' in made && typeof made.value === 'string' ? made.value.trim() : '';
  const usable = text !== '' && Buffer.byteLength(text) <= longestMessage && !text.includes('\n');
  return usable ? text : message || `failed expression: ${expression.trim()}`;
}

/** What a policy, with one set of parameters, holds against a write. */
export function failuresOf(policy: Policy, subject: Subject): readonly Failure[] {
  const { attributes, resource, params, namespace, authorizer } = subject;
  const values = admissionVariables(attributes, resource, authorizer);
  values.params = dynamicValue(params ?? null);
  values.namespaceObject = dynamicValue(namespace ?? null);
  const failed = (message: string): readonly Failure[] => (policy.ignoresFailures ? [] : [{ message, reason: '' }]);
  const meant = holds(policy.conditions, values);
  if (meant === false) return [];
  if (meant !== true) return failed(meant.error);
  const evaluation = new Evaluation(policy, values);
  return policy.validations.flatMap((validation) => {
    const outcome = evaluation.value(validation.expression);
    if ('error' in outcome) return failed(outcome.error);
    if (outcome.value === true) return [];
    return [{ message: messageOf(validation, evaluation), reason: validation.reason }];
  });
}
