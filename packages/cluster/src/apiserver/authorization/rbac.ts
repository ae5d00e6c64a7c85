import type { KubeObject } from '@coxswain/k8s';
import { notFound } from '@coxswain/runtime/core';
import type { Storage, StorageSubscription } from '../../storage/types.ts';
import type { UserInfo } from '../types.ts';
import { type Binding, BindingIndex } from './binding-index.ts';
import { ruleAllows } from './rules.ts';
import { type Attributes, type Authorizer, type Decision, masters, type PolicyRule, type RoleRef } from './types.ts';

const group = 'rbac.authorization.k8s.io';

interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
}

const noRules: readonly PolicyRule[] = [];
const trusted: Decision = { allowed: true, reason: '' };
const refused: Decision = { allowed: false, reason: '' };

/** `[a, b]`, each text once; one alone without brackets. As the real server prints several errors. */
export function joined(errors: readonly string[]): string {
  const [first = '', ...others] = new Set(errors);
  return others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
}

function describe(binding: Binding, user: UserInfo): string {
  const { name, namespace } = binding.metadata;
  const place = namespace ?? '';
  const subject = binding.subjects?.find(
    (one) =>
      (one.kind === 'User' && one.name === user.name) ||
      (one.kind === 'Group' && user.groups.includes(one.name)) ||
      (one.kind === 'ServiceAccount' && user.name === `system:serviceaccount:${one.namespace ?? place}:${one.name}`),
  );
  const shown = subject?.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace ?? place}` : subject?.name;
  const own = namespace ? `RoleBinding "${name}/${namespace}"` : `ClusterRoleBinding "${name}"`;
  return `${own} of ${binding.roleRef.kind} "${binding.roleRef.name}" to ${subject?.kind} "${shown}"`;
}

/** Why is rarely asked. */
class Allowed implements Decision {
  readonly allowed = true;
  readonly #by: Binding;
  readonly #user: UserInfo;

  constructor(by: Binding, user: UserInfo) {
    this.#by = by;
    this.#user = user;
  }

  get reason(): string {
    return `RBAC: allowed by ${describe(this.#by, this.#user)}`;
  }
}

/** Authorization by the roles and bindings in the store. */
export class RbacAuthorizer implements Authorizer, StorageSubscription {
  readonly #storage: Storage;
  readonly #bindings: BindingIndex;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#bindings = new BindingIndex(storage);
  }

  authorize(user: UserInfo, attributes: Attributes): Decision {
    if (user.groups.includes(masters)) return trusted;
    const namespace = attributes.kind === 'resource' ? attributes.namespace : '';
    let allowing: Binding | undefined;
    let errors: string[] | undefined;
    this.#bindings.find(user, namespace, (binding) => {
      const rules = this.#lookUp(binding.roleRef, binding.metadata.namespace ?? '');
      if (rules) {
        for (const rule of rules) {
          if (!ruleAllows(rule, attributes)) continue;
          allowing = binding;
          return true;
        }
      } else {
        errors ??= [];
        errors.push(missing(binding.roleRef).message);
      }
      return false;
    });
    if (allowing) return new Allowed(allowing, user);
    return errors ? { allowed: false, reason: `rbac: RBAC: ${joined(errors)}` } : refused;
  }

  rulesFor(user: UserInfo, namespace: string): { rules: readonly PolicyRule[]; errors: readonly string[] } {
    const bindings = new Set<Binding>();
    this.#bindings.find(user, namespace, (binding) => {
      bindings.add(binding);
      return false;
    });
    const rules: PolicyRule[] = [];
    const errors: string[] = [];
    for (const { roleRef, metadata } of bindings) {
      const found = this.#lookUp(roleRef, metadata.namespace ?? '');
      if (found) rules.push(...found);
      else errors.push(missing(roleRef).message);
    }
    return { rules, errors };
  }

  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#lookUp(role, namespace);
  }

  cancel(): void {
    this.#bindings.cancel();
  }

  #lookUp({ kind, name = '' }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const whole = kind === 'ClusterRole';
    const resource = whole ? `${group}/clusterroles` : `${group}/roles`;
    const role = this.#storage.get({ resource, namespace: whole ? '' : namespace, name });
    return role && ((role as Role).rules ?? noRules);
  }
}

/** The real server looks roles up under the singular. */
const missing = ({ kind = '', name = '' }: RoleRef) => notFound({ group, plural: kind.toLowerCase() }, name);

/** Everybody may do everything. */
export const alwaysAllow: Authorizer = {
  authorize: () => trusted,
  rulesFor: () => ({
    rules: [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ],
    errors: [],
  }),
  rulesOf: () => noRules,
};
