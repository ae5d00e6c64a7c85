import type { PolicyRule } from '@coxswain/k8s';
import { apply, type Client } from '../client/index.ts';
import { keyOf } from '../core/index.ts';
import { rolesFor } from './rbac-objects.ts';
import type { RbacRules } from './rbac-rules.ts';

/** Rules, and who gets them. */
export interface Grant {
  /** Of the roles and of their bindings. */
  readonly name: string;
  /** A list is for the whole cluster. */
  readonly rules: readonly PolicyRule[] | RbacRules;
  /** Name of the user who gets them: a plain one, or `system:serviceaccount:NAMESPACE:NAME`. */
  readonly user: string;
  /** Who owns the fields of the objects. Default: the client's. */
  readonly fieldManager?: string;
}

/**
 * Lets a user do what the rules say: a ClusterRole, Roles and their bindings, by server-side apply.
 * @throws ApiError when the client's user may not
 */
export async function grant(client: Client, { name, rules, user, fieldManager }: Grant): Promise<void> {
  const options = { force: true, ...(fieldManager === undefined ? {} : { fieldManager }) };
  const all = 'cluster' in rules ? rules : { cluster: rules, namespaces: {} };
  for (const { kind, object } of rolesFor(all, { name, user }))
    await client.of(kind).patch(keyOf(object), apply(object), options);
}
