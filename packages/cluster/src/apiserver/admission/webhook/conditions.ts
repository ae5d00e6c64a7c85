import {
  type Authorize,
  authorizerType,
  authorizerValue,
  compileExpression,
  dynamicValue,
  type Expression,
  extendEnvironment,
  kubernetesEnvironment,
  parseType,
  requestResourceValue,
  resourceCheckType,
  type Value,
} from '@coxswain/schema/cel';
import type { Authorizer } from '../../authorization/index.ts';
import type { AdmissionAttributes, UserInfo } from '../../types.ts';
import { inVersion, namespaceOf } from './attributes.ts';
import type { WebhookContext } from './context.ts';
import type { Invocation } from './match.ts';
import { requestOf } from './review.ts';

/** Units of cost that all conditions of one webhook may use for one request. */
const budget = 2_500_000;

const dyn = parseType('dyn');
const environment = extendEnvironment(kubernetesEnvironment.stored, {
  variables: {
    object: dyn,
    oldObject: dyn,
    request: dyn,
    authorizer: authorizerType,
    'authorizer.requestResource': resourceCheckType,
  },
});

const compiled = new Map<string, Expression | string>();
const mostCompiled = 1_000;

function compile(text: string): Expression | string {
  let known = compiled.get(text);
  if (known === undefined) {
    const result = compileExpression(text, environment);
    known = 'expression' in result ? result.expression : `compilation failed: ${result.error.message}`;
    if (compiled.size >= mostCompiled) compiled.clear();
    compiled.set(text, known);
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

function variablesOf(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  { authorizer }: WebhookContext,
): Readonly<Record<string, Value>> {
  const { object, old, resource, subresource, name, user } = attributes;
  const authorize = authorizeFor(user, authorizer);
  const shown = (side: Parameters<typeof inVersion>[0] | undefined) =>
    dynamicValue(side ? inVersion(side, resource, invocation.resource) : null);
  const asked = {
    group: resource.group,
    resource: resource.plural,
    subresource,
    namespace: namespaceOf(attributes),
    name,
  };
  return {
    object: shown(object),
    oldObject: shown(old),
    request: dynamicValue(requestOf(invocation, attributes)),
    authorizer: authorizerValue(authorize),
    'authorizer.requestResource': requestResourceValue(authorize, asked),
  };
}

/** Whether all match conditions of a webhook hold. One that is false decides, errors or not. */
export function holds(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  context: WebhookContext,
): boolean | { readonly error: string } {
  const variables = variablesOf(invocation, attributes, context);
  const errors: string[] = [];
  let left = budget;
  for (const { expression: text } of invocation.hook.conditions) {
    const expression = compile(text);
    if (typeof expression === 'string') {
      errors.push(expression);
      continue;
    }
    const outcome = expression.evaluate(variables, left);
    left -= outcome.cost;
    if (left < 0)
      return { error: 'validation failed due to running out of cost budget, no further validation rules will be run' };
    if ('error' in outcome) errors.push(`expression '${text}' resulted in error: ${outcome.error}`);
    else if (outcome.value !== true) return false;
  }
  if (errors.length === 0) return true;
  return { error: errors.length === 1 ? (errors[0] ?? '') : `[${[...new Set(errors)].join(', ')}]` };
}
