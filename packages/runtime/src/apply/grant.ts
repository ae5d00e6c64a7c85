import { ClusterRole, ClusterRoleBinding, type PolicyRule } from '@coxswain/k8s';
import { apply, type Client } from '../client/index.ts';

/** Rules, and who gets them: a ClusterRole and its binding. */
export interface Grant {
  /** Of the ClusterRole and of its binding. */
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** Name of the user who gets them: a plain one, or `system:serviceaccount:NAMESPACE:NAME`. */
  readonly user: string;
  /** Who owns the fields of both objects. Default: the client's. */
  readonly fieldManager?: string;
}

function subjectOf(user: string): object {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  if (namespace !== undefined) return { kind: 'ServiceAccount', namespace, name };
  return { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user };
}

/**
 * Lets a user do in the whole cluster what the rules say: a ClusterRole and its binding, by server-side apply.
 * @throws ApiError when the client's user may not
 */
export async function grant(client: Client, { name, rules, user, fieldManager }: Grant): Promise<void> {
  const options = { force: true, ...(fieldManager === undefined ? {} : { fieldManager }) };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const role = { apiVersion, kind: 'ClusterRole', metadata: { name }, rules };
  const binding = {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [subjectOf(user)],
  };
  await client.of(ClusterRole).patch({ name }, apply(role), options);
  await client.of(ClusterRoleBinding).patch({ name }, apply(binding), options);
}
