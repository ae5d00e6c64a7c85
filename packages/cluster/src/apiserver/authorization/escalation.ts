import { forbidden, notFound } from '@coxswain/runtime/core';
import { objectAt, sameJson, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';
import { compact, goList, ruleText, uncovered } from './covers.ts';
import { type Authorizer, masters, type PolicyRule, type RoleRef } from './types.ts';

const group = 'rbac.authorization.k8s.io';
const roles = new Set(['roles', 'clusterroles']);
const bindings = new Set(['rolebindings', 'clusterrolebindings']);

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** What the user lacks of `wanted`, as the refusal says it; `undefined` when nothing. */
function lacks(authorizer: Authorizer, write: AdmissionAttributes, wanted: readonly PolicyRule[]): string | undefined {
  const { user, namespace } = write;
  const { rules, errors } = authorizer.rulesFor(user, namespace);
  const missing = uncovered(rules, wanted);
  if (missing.length === 0) return undefined;
  const lines = [...new Set(compact(missing).map(ruleText))].sort();
  const who = `user ${JSON.stringify(user.name)} (groups=${goList(user.groups)})`;
  const text = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`;
  return errors.length === 0 ? text : `${text}; resolution errors: [${[...new Set(errors)].join(', ')}]`;
}

/** Whether only what lets an object go away changes: its finalizers and owners. */
function onlyLetsGo({ object, old }: AdmissionAttributes): boolean {
  if (!object || !old) return false;
  const without = (value: object) => {
    const { metadata = {}, ...rest } = value as { readonly metadata?: object };
    const { finalizers: _, ownerReferences: __, managedFields: ___, ...kept } = metadata as Record<string, unknown>;
    return { ...rest, metadata: kept };
  };
  return sameJson(without(object), without(old));
}

function may(authorizer: Authorizer, write: AdmissionAttributes, verb: string, resource: string, name: string) {
  const { user, namespace } = write;
  return authorizer.authorize(user, { kind: 'resource', verb, group, resource, subresource: '', namespace, name })
    .allowed;
}

function aggregates(role: object | undefined): boolean {
  const selectors = objectAt(role as Readonly<Record<string, unknown>>, 'aggregationRule')?.clusterRoleSelectors;
  return Array.isArray(selectors) && selectors.length > 0;
}

function checkRole(authorizer: Authorizer, write: AdmissionAttributes): void {
  const { resource, object, old, name, operation } = write;
  // A name is not known to the request that creates.
  if (may(authorizer, write, 'escalate', resource.plural, operation === 'CREATE' ? '' : name)) return;
  const rules = Array.isArray(object?.rules) ? (object.rules as readonly PolicyRule[]) : [];
  const lacking = lacks(authorizer, write, rules);
  if (lacking !== undefined) throw forbidden(resource, name, lacking);
  if (resource.plural !== 'clusterroles' || (!aggregates(object) && !aggregates(old))) return;
  if (lacks(authorizer, write, everything) !== undefined) {
    throw forbidden(resource, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

function checkBinding(authorizer: Authorizer, write: AdmissionAttributes): void {
  const { resource, object, name, namespace } = write;
  const found = objectAt(object, 'roleRef');
  const ref: RoleRef = { kind: textAt(found, 'kind'), name: textAt(found, 'name') };
  const plural = ref.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (may(authorizer, write, 'bind', plural, ref.name ?? '')) return;
  const rules = authorizer.rulesOf(ref, namespace);
  // Said of the binding's kind, with the name of the role, by the real server too.
  if (!rules) throw notFound(resource, ref.name ?? '');
  const lacking = lacks(authorizer, write, rules);
  if (lacking !== undefined) throw forbidden(resource, name, lacking);
}

/** Nobody gives away, by a role or a binding, what they do not have themselves, unless they may `escalate` or `bind`. */
export function escalationCheck(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    admit(write) {
      const { resource, user, subresource, operation } = write;
      if (resource.group !== group || subresource !== '' || operation === 'DELETE') return;
      if (user.groups.includes(masters) || onlyLetsGo(write)) return;
      if (roles.has(resource.plural)) checkRole(authorizer, write);
      else if (bindings.has(resource.plural)) checkBinding(authorizer, write);
    },
  };
}
