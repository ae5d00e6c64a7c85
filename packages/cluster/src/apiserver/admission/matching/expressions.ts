import {
  type Authorize,
  authorizerType,
  authorizerValue,
  compileExpression,
  dynamicValue,
  type Environment,
  type Expression,
  extendEnvironment,
  kubernetesEnvironment,
  parseType,
  perCallLimit,
  requestResourceValue,
  resourceCheckType,
  type Value,
} from '@coxswain/schema/cel';
import type { Authorizer } from '../../authorization/index.ts';
import type { AdmissionAttributes, ResourceInfo, UserInfo } from '../../types.ts';
import { inVersion, namespaceOf } from './attributes.ts';
import { requestOf } from './request.ts';

/** Units of cost that all match conditions of one webhook or policy may use for one request. */
const conditionBudget = 2_500_000;

export const outOfBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/** Values by name; one that is missing is an error where it is read. */
export type Variables = Readonly<Record<string, Value | undefined>>;

const dyn = parseType('dyn');

/** What expressions about a write may use. */
export const admissionEnvironment: Environment = extendEnvironment(kubernetesEnvironment.stored, {
  variables: {
    object: dyn,
    oldObject: dyn,
    request: dyn,
    params: dyn,
    namespaceObject: dyn,
    authorizer: authorizerType,
    'authorizer.requestResource': resourceCheckType,
  },
});

const compiled = new WeakMap<Environment, Map<string, Expression | string>>();
const mostCompiled = 1_000;

/** The expression, or why it is none. Compiled once. */
export function compile(text: string, environment: Environment = admissionEnvironment): Expression | string {
  const cache = compiled.get(environment) ?? new Map<string, Expression | string>();
  compiled.set(environment, cache);
  let known = cache.get(text);
  if (known === undefined) {
    const result = compileExpression(text, environment);
    known = 'expression' in result ? result.expression : `compilation failed: ${result.error.message}`;
    if (cache.size >= mostCompiled) cache.clear();
    cache.set(text, known);
  }
  return known;
}

/** Asks for the user of the request, or for the service account that the expression names. */
function authorizeFor(user: UserInfo, authorizer: Authorizer | undefined): Authorize {
  if (!authorizer) return () => ({ allowed: true, reason: '' });
  return ({ serviceAccount, verb, path, group = '', resource = '', subresource = '', namespace = '', name = '' }) => {
    const who = serviceAccount ? serviceAccountUser(serviceAccount) : user;
    if (path !== undefined) return authorizer.authorize(who, { kind: 'path', verb, path });
    return authorizer.authorize(who, { kind: 'resource', verb, group, resource, subresource, namespace, name });
  };
}

function serviceAccountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
}

/** The values that expressions about a write see. `resource`: the version they were written for. */
export function admissionVariables(
  attributes: AdmissionAttributes,
  resource: ResourceInfo,
  authorizer: Authorizer | undefined,
): Record<string, Value | undefined> {
  const { object, old, subresource, name, user } = attributes;
  const authorize = authorizeFor(user, authorizer);
  const shown = (side: Parameters<typeof inVersion>[0] | undefined) =>
    dynamicValue(side ? inVersion(side, attributes.resource, resource) : null);
  const { group, plural } = attributes.resource;
  const asked = { group, resource: plural, subresource, namespace: namespaceOf(attributes), name };
  return {
    object: shown(object),
    oldObject: shown(old),
    request: dynamicValue(requestOf(attributes, resource)),
    authorizer: authorizerValue(authorize),
    'authorizer.requestResource': requestResourceValue(authorize, asked),
  };
}

export const evaluationError = (text: string, error: string): string =>
  `expression '${text}' resulted in error: ${error}`;

/** Whether all match conditions hold. One that is false decides, errors or not. */
export function holds(conditions: readonly string[], variables: Variables): boolean | { readonly error: string } {
  const errors: string[] = [];
  let left = conditionBudget;
  for (const text of conditions) {
    const expression = compile(text);
    if (typeof expression === 'string') {
      errors.push(expression);
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
