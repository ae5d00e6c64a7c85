import type { KubeObject } from '@coxswain/k8s';
import type { RbacRules } from '../apply/index.ts';

/** Who gets the rules, and what the objects are called. */
export interface RbacObjectsOptions {
  /** Of all roles and bindings. */
  readonly name: string;
  readonly serviceAccount: { readonly namespace: string; readonly name: string };
  /** On all objects. */
  readonly labels?: Readonly<Record<string, string>>;
}

const apiVersion = 'rbac.authorization.k8s.io/v1';

/**
 * Rules as objects to apply: the ServiceAccount, a ClusterRole and a Role for each namespace where something must be allowed, each with
 * its binding.
 */
export function rbacObjects(rules: RbacRules, options: RbacObjectsOptions): readonly KubeObject[] {
  const { name, serviceAccount, labels } = options;
  const labelled = labels ? { labels } : {};
  const subjects = [{ kind: 'ServiceAccount', ...serviceAccount }];
  const pair = (role: 'ClusterRole' | 'Role', given: RbacRules['cluster'], within: { readonly namespace?: string }) => {
    const metadata = { name, ...within, ...labelled };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: role, name };
    return [
      { apiVersion, kind: role, metadata, rules: given },
      { apiVersion, kind: `${role}Binding`, metadata, roleRef, subjects },
    ];
  };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...serviceAccount, ...labelled } },
    ...(rules.cluster.length > 0 ? pair('ClusterRole', rules.cluster, {}) : []),
    ...Object.entries(rules.namespaces).flatMap(([namespace, given]) => pair('Role', given, { namespace })),
  ];
}
