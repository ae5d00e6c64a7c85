import {
  apiVersionOf,
  ClusterRole,
  ClusterRoleBinding,
  type Kind,
  type KubeObject,
  Role,
  RoleBinding,
  ServiceAccount,
} from '@coxswain/k8s';
import type { RbacRules } from './rbac-rules.ts';

/** Who gets the rules, and what the objects are called. */
export interface RbacObjectsOptions {
  /** Of all roles and bindings. */
  readonly name: string;
  /** Name of the user who gets them: a plain one, or `system:serviceaccount:NAMESPACE:NAME`. */
  readonly user: string;
  /** On all objects. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** An object and its kind. */
interface Made {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/**
 * Rules as objects to apply: a ClusterRole, and a Role for each namespace where something must be allowed, each with its binding; before
 * them the ServiceAccount, where the user is one.
 */
export function rbacObjects(rules: RbacRules, options: RbacObjectsOptions): readonly KubeObject[] {
  const { user, labels } = options;
  const account = accountOf(user);
  const metadata = account && { ...account, ...(labels ? { labels } : {}) };
  const before = metadata ? [made(ServiceAccount, { metadata })] : [];
  return [...before, ...rolesFor(rules, options)].map(({ object }) => object);
}

/** The roles and bindings alone. */
export function rolesFor(rules: RbacRules, { name, user, labels }: RbacObjectsOptions): readonly Made[] {
  const subjects = [subjectOf(user)];
  const pair = (role: Kind, binding: Kind, within: { readonly namespace?: string }, given: RbacRules['cluster']) => {
    const metadata = { name, ...within, ...(labels ? { labels } : {}) };
    const roleRef = { apiGroup: role.group, kind: role.kind, name };
    return [made(role, { metadata, rules: given }), made(binding, { metadata, roleRef, subjects })];
  };
  return [
    ...(rules.cluster.length > 0 ? pair(ClusterRole, ClusterRoleBinding, {}, rules.cluster) : []),
    ...Object.entries(rules.namespaces).flatMap(([namespace, given]) => pair(Role, RoleBinding, { namespace }, given)),
  ];
}

function made(kind: Kind, fields: KubeObject & Readonly<Record<string, unknown>>): Made {
  return { kind, object: { apiVersion: apiVersionOf(kind), kind: kind.kind, ...fields } };
}

function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function subjectOf(user: string): object {
  const account = accountOf(user);
  return account ? { kind: 'ServiceAccount', ...account } : { kind: 'User', apiGroup: ClusterRole.group, name: user };
}
