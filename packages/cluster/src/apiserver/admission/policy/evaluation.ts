import type { DynamicObject } from '@coxswain/k8s';
import {
  CelError,
  type CelType,
  dynamicValue,
  type Environment,
  LazyMap,
  perCallLimit,
  type Value,
} from '@coxswain/schema/cel';
import type { AdmissionAttributes } from '../../types.ts';
import {
  admissionVariables,
  compile,
  environmentFor,
  evaluationError,
  outOfBudget,
  type Uses,
  type Variables,
  withVariables,
} from '../matching/expressions.ts';
import type { Invocation, PolicyContext } from './invocations.ts';
import type { Policy } from './policy.ts';

/** Units of cost that the expressions of a policy may use for one request. */
export const policyBudget = 10_000_000;

/** What an expression came to. */
export type Worked = { readonly value: Value } | { readonly error: string };

/** Nothing more is evaluated: the policy has used up what it may cost. */
export class BudgetError extends Error {
  constructor() {
    super(outOfBudget);
    this.name = 'BudgetError';
  }
}

const variableTypes = new WeakMap<Policy, ReadonlyMap<string, CelType | undefined>>();
const environments = new WeakMap<Policy, Map<string, Environment>>();

const usesOf = ({ paramKind }: Policy, more: Omit<Uses, 'params'>): Uses => ({
  params: paramKind !== undefined,
  ...more,
});

/** Each variable sees those before it. */
function typesOf(policy: Policy): ReadonlyMap<string, CelType | undefined> {
  let known = variableTypes.get(policy);
  if (!known) {
    const base = environmentFor(usesOf(policy, { authorizer: true }), 'stored');
    const found = new Map<string, CelType | undefined>();
    for (const { name, expression } of policy.variables) {
      const made = compile(expression, withVariables(base, new Map(found)));
      found.set(name, 'kind' in made ? undefined : made.type);
    }
    known = found;
    variableTypes.set(policy, known);
  }
  return known;
}

/** The names that expressions of a policy know, its variables included. */
function environmentOf(policy: Policy, more: Omit<Uses, 'params'>): Environment {
  const own = environments.get(policy) ?? new Map<string, Environment>();
  environments.set(policy, own);
  const key = `${more.authorizer} ${more.patches === true}`;
  let environment = own.get(key);
  if (!environment) {
    environment = withVariables(environmentFor(usesOf(policy, more), 'stored'), typesOf(policy));
    own.set(key, environment);
  }
  return environment;
}

/** The values that the expressions of a policy see, without its variables. */
export function valuesFor(
  { resource, params }: Invocation<Policy>,
  attributes: AdmissionAttributes,
  namespace: DynamicObject | undefined,
  { authorizer }: PolicyContext,
): Variables {
  const values = admissionVariables(attributes, resource, authorizer);
  values.params = dynamicValue(params ?? null);
  values.namespaceObject = dynamicValue(namespace ?? null);
  return values;
}

/** Whether expressions may ask about rights, or make objects. */
export type Sort = Omit<Uses, 'params'>;

/**
 * One group of expressions about one write. They share a budget, and variables that are worked out when one of them first reads
 * them; what those cost is charged to the reader.
 */
export class Evaluation {
  readonly #environment: Environment;
  readonly #values: Variables;
  #variablesCost = 0;
  #left: number;

  constructor(policy: Policy, values: Variables, sort: Sort, budget = policyBudget) {
    this.#environment = environmentOf(policy, sort);
    this.#left = budget;
    const shown = sort.authorizer
      ? values
      : { ...values, authorizer: undefined, 'authorizer.requestResource': undefined };
    const names = policy.variables.map(({ name }) => name);
    // A variable is an expression of the policy like others, and may ask about rights where they may not.
    const inner = environmentOf(policy, { authorizer: true });
    const variables = new LazyMap(names, (name) => this.#variable(policy, name, inner));
    this.#values = { ...shown, variables };
  }

  /** What is left of the budget. */
  get left(): number {
    return this.#left;
  }

  #variable(policy: Policy, name: string, environment: Environment): Value {
    const text = policy.variables.find((one) => one.name === name)?.expression ?? '';
    const expression = compile(text, environment);
    const failed = (what: string) => new CelError(`composited variable ${JSON.stringify(name)} fails to ${what}`);
    if ('kind' in expression) throw failed(`compile: compilation failed: ${expression.message}`);
    const outcome = expression.evaluate(this.#values, perCallLimit);
    this.#variablesCost += outcome.cost;
    if ('error' in outcome) throw failed(`evaluate: ${outcome.error}`);
    return outcome.value;
  }

  /** @throws BudgetError */
  value(text: string): Worked {
    const expression = compile(text, this.#environment);
    if ('kind' in expression) return { error: `compilation error: compilation failed: ${expression.message}` };
    this.#variablesCost = 0;
    const outcome = expression.evaluate(this.#values, perCallLimit);
    this.#left -= this.#variablesCost;
    if (this.#left < 0) throw new BudgetError();
    this.#left -= outcome.cost;
    if (this.#left < 0) throw new BudgetError();
    return 'error' in outcome ? { error: evaluationError(text, outcome.error) } : { value: outcome.value };
  }
}
