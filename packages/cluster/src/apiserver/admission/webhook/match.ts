import type { DynamicObject } from '@coxswain/k8s';
import { apiError, forbidden, matchesLabels, notFound, type Selector, SelectorError } from '@coxswain/runtime/core';
import { mapAt, objectAt, type ReadJson } from '../../builtin/shared/draft.ts';
import type { AdmissionAttributes, ResourceInfo } from '../../types.ts';
import { nameIn, namespaceOf } from './attributes.ts';
import type { WebhookContext } from './context.ts';
import type { Hook } from './hook.ts';
import { covers } from './rules.ts';

/** A webhook that is to be called, with the version of the resource that it asked for. */
export interface Invocation {
  readonly hook: Hook;
  readonly resource: ResourceInfo;
}

const labelsOf = (object: ReadJson | undefined) => mapAt(objectAt(object, 'metadata'), 'labels');

function readable(selector: Selector | SelectorError): Selector {
  if (!(selector instanceof SelectorError)) return selector;
  throw apiError(500, 'InternalError', `Internal error occurred: ${selector.message}`);
}

function namespaceLabels(attributes: AdmissionAttributes): Readonly<Record<string, string>> {
  const { resource, operation, subresource, object, storage } = attributes;
  const own = resource.group === '' && resource.plural === 'namespaces';
  if (own && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')) return labelsOf(object);
  const name = namespaceOf(attributes);
  const found = storage.get({ resource: '/namespaces', namespace: '', name });
  if (!found) throw notFound({ group: '', plural: 'namespaces' }, name);
  return found.metadata.labels ?? {};
}

function selectsNamespace(hook: Hook, attributes: AdmissionAttributes): boolean {
  const selector = readable(hook.namespaces);
  if (selector.length === 0 || namespaceOf(attributes) === '') return true;
  return matchesLabels(selector, namespaceLabels(attributes));
}

function selectsObject(hook: Hook, { object, old }: AdmissionAttributes): boolean {
  const selector = readable(hook.objects);
  if (selector.length === 0) return true;
  const selects = (side: ReadJson | DynamicObject | undefined) =>
    side !== undefined && matchesLabels(selector, labelsOf(side as ReadJson));
  return selects(object) || selects(old);
}

/** The version of the resource that the rules name: the requested one first, then others in the order of the rules. */
function ruledResource(hook: Hook, attributes: AdmissionAttributes, context: WebhookContext): ResourceInfo | undefined {
  const target = { ...attributes, namespace: namespaceOf(attributes) };
  if (hook.rules.some((rule) => covers(rule, attributes.resource, target))) return attributes.resource;
  if (!hook.equivalent) return undefined;
  const { storage } = attributes.resource;
  const others = context.registry.all().filter((one) => one.storage === storage && one !== attributes.resource);
  for (const rule of hook.rules) {
    const found = others.find((other) => covers(rule, other, target));
    if (found) return found;
  }
  return undefined;
}

/**
 * Whether and as what a webhook is to be called for a write, but for its match conditions.
 * @throws ApiError when that cannot be told
 */
export function match(hook: Hook, attributes: AdmissionAttributes, context: WebhookContext): Invocation | undefined {
  const resource = ruledResource(hook, attributes, context);
  if (!resource || !selectsNamespace(hook, attributes) || !selectsObject(hook, attributes)) return undefined;
  return { hook, resource };
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
  const { holds } = await import('./conditions.ts');
  const outcome = holds(invocation, attributes, context);
  if (typeof outcome === 'boolean') return outcome;
  if (hook.ignoresFailures) return false;
  throw forbidden(attributes.resource, nameIn(attributes), outcome.error);
}

const configurationKinds = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** Writes that no webhook sees: what configures admission (or nobody could mend it), and questions about rights. */
export function isExempt({ resource }: AdmissionAttributes): boolean {
  if (resource.group === 'admissionregistration.k8s.io') return configurationKinds.has(resource.kind);
  return resource.answer !== undefined && ['authentication.k8s.io', 'authorization.k8s.io'].includes(resource.group);
}
