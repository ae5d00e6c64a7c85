import { forbidden } from '@coxswain/runtime/core';
import type { AdmissionAttributes, ResourceInfo } from '../../types.ts';
import { matchedResource, prepareVersions } from '../matching/index.ts';
import type { WebhookContext } from './context.ts';
import type { Hook } from './hook.ts';

/** A webhook that is to be called, with the version of the resource that it asked for. */
export interface Invocation {
  readonly hook: Hook;
  readonly resource: ResourceInfo;
}

/**
 * Whether and as what a webhook is to be called for a write, but for its match conditions.
 * @throws ApiError when that cannot be told
 */
export function match(hook: Hook, attributes: AdmissionAttributes, context: WebhookContext): Invocation | undefined {
  const resource = matchedResource(hook.criteria, attributes, context.registry);
  return resource && { hook, resource };
}

/**
 * Whether the match conditions of a webhook let it be called.
 * @throws ApiError Forbidden when that cannot be told and the webhook is not to be passed by
 */
export async function meetsConditions(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  context: WebhookContext,
): Promise<boolean> {
  const { hook } = invocation;
  if (hook.conditions.length === 0) return true;
  // The expression engine is loaded by those who use it.
  const { admissionVariables, holds } = await import('../matching/expressions.ts');
  await prepareVersions(attributes, [invocation.resource]);
  const variables = admissionVariables(attributes, invocation.resource, context.authorizer);
  const outcome = holds(hook.conditions, variables, { params: false, authorizer: true });
  if (typeof outcome === 'boolean') return outcome;
  if (hook.ignoresFailures) return false;
  throw forbidden(attributes.resource, attributes.name, outcome.error);
}
