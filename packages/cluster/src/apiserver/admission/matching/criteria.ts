import type { DynamicObject } from '@coxswain/k8s';
import {
  apiError,
  everything,
  type LabelSelectorLike,
  matchesLabels,
  notFound,
  type Selector,
  SelectorError,
  selectorFromField,
} from '@coxswain/runtime/core';
import { isObject, listAt, mapAt, objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import type { AdmissionAttributes, Registry, ResourceInfo } from '../../types.ts';
import { namespaceOf } from './attributes.ts';
import { covers, type Rule } from './rules.ts';

/** Which writes something is for. */
export interface Criteria {
  /** Absent: all. */
  readonly rules?: readonly Rule[];
  /** Not for these, whatever the rules say. */
  readonly excluded: readonly Rule[];
  /** Whether a rule for another version of the resource counts too. */
  readonly equivalent: boolean;
  readonly namespaces: Selector | SelectorError;
  readonly objects: Selector | SelectorError;
}

/** The strings in the list at `key`. */
export const textsAt = (parent: ReadJson, key: string): readonly string[] =>
  listAt(parent, key).filter((value) => typeof value === 'string');

function selectorAt(parent: ReadJson, key: string): Selector | SelectorError {
  const field = parent[key];
  if (!isObject(field)) return everything;
  try {
    return selectorFromField(field as LabelSelectorLike);
  } catch (error) {
    if (error instanceof SelectorError) return error;
    throw error;
  }
}

function ruleOf(rule: ReadJson): Rule {
  return {
    operations: textsAt(rule, 'operations'),
    groups: textsAt(rule, 'apiGroups'),
    versions: textsAt(rule, 'apiVersions'),
    resources: textsAt(rule, 'resources'),
    scope: textAt(rule, 'scope') || '*',
    names: textsAt(rule, 'resourceNames'),
  };
}

/** Reads the fields that webhooks and policies share. `rules`: the name of the field with the rules; without rules in it everything matches. */
export function readCriteria(parent: ReadJson, rules: 'rules' | 'resourceRules'): Criteria {
  const listed = objectsAt(parent, rules).map(ruleOf);
  return {
    ...(listed.length > 0 || rules === 'rules' ? { rules: listed } : {}),
    excluded: objectsAt(parent, 'excludeResourceRules').map(ruleOf),
    equivalent: parent.matchPolicy !== 'Exact',
    namespaces: selectorAt(parent, 'namespaceSelector'),
    objects: selectorAt(parent, 'objectSelector'),
  };
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

function selectsNamespace(criteria: Criteria, attributes: AdmissionAttributes): boolean {
  const selector = readable(criteria.namespaces);
  if (selector.length === 0 || namespaceOf(attributes) === '') return true;
  return matchesLabels(selector, namespaceLabels(attributes));
}

function selectsObject(criteria: Criteria, { object, old }: AdmissionAttributes): boolean {
  const selector = readable(criteria.objects);
  if (selector.length === 0) return true;
  const selects = (side: ReadJson | DynamicObject | undefined) =>
    side !== undefined && matchesLabels(selector, labelsOf(side as ReadJson));
  return selects(object) || selects(old);
}

/** The version of the resource that rules name: the requested one first, then others in the order of the rules. */
function ruledResource(
  rules: readonly Rule[],
  equivalent: boolean,
  attributes: AdmissionAttributes,
  registry: Registry,
): ResourceInfo | undefined {
  const target = { ...attributes, namespace: namespaceOf(attributes) };
  if (rules.some((rule) => covers(rule, attributes.resource, target))) return attributes.resource;
  if (!equivalent || rules.length === 0) return undefined;
  const { storage } = attributes.resource;
  const others = registry.all().filter((one) => one.storage === storage && one !== attributes.resource);
  for (const rule of rules) {
    const found = others.find((other) => covers(rule, other, target));
    if (found) return found;
  }
  return undefined;
}

/**
 * The version of the resource as which a write is meant; `undefined` when it is not.
 * @throws ApiError when that cannot be told
 */
export function matchedResource(
  criteria: Criteria,
  attributes: AdmissionAttributes,
  registry: Registry,
): ResourceInfo | undefined {
  const { rules, excluded, equivalent } = criteria;
  if (ruledResource(excluded, equivalent, attributes, registry)) return undefined;
  const resource = rules ? ruledResource(rules, equivalent, attributes, registry) : attributes.resource;
  if (!resource || !selectsNamespace(criteria, attributes) || !selectsObject(criteria, attributes)) return undefined;
  return resource;
}

const configurationKinds = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** Writes that no webhook or policy sees: what configures admission (or nobody could mend it), and questions about rights. */
export function isExempt({ resource }: AdmissionAttributes): boolean {
  if (resource.group === 'admissionregistration.k8s.io') return configurationKinds.has(resource.kind);
  return resource.answer !== undefined && ['authentication.k8s.io', 'authorization.k8s.io'].includes(resource.group);
}
