import { readFileSync } from 'node:fs';
import type { DynamicObject } from '@coxswain/k8s';
import type { PolicyRule } from './types.ts';

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;

interface ShortObject {
  readonly name: string;
  readonly namespace?: string;
  readonly aggregateTo?: string;
}

interface ShortRole extends ShortObject {
  readonly rules?: readonly string[];
  readonly aggregates?: readonly string[];
}

interface ShortBinding extends ShortObject {
  readonly role: string;
  readonly subjects: readonly string[];
}

/** A policy as `generated/README.md` describes it. */
export interface ShortPolicy {
  readonly clusterRoles: readonly ShortRole[];
  readonly clusterRoleBindings: readonly ShortBinding[];
  readonly roles: readonly ShortRole[];
  readonly roleBindings: readonly ShortBinding[];
}

/** An object that every cluster has, in its stored form, and the resource it is of. */
export interface PolicyObject {
  readonly resource: string;
  readonly object: DynamicObject;
}

/** Set to `false` on an object, it is left as it is. */
export const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

const aggregation = (to: string) => ({ [`${group}/aggregate-to-${to}`]: 'true' });

const bootstrapping = 'kubernetes.io/bootstrapping';
const labels = Object.freeze({ [bootstrapping]: 'rbac-defaults' });
const annotations = Object.freeze({ [autoUpdate]: 'true' });

function metadataOf({ name, namespace, aggregateTo }: ShortObject): DynamicObject['metadata'] {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: aggregateTo === undefined ? labels : { ...labels, ...aggregation(aggregateTo) },
    annotations,
  };
}

/** Parts that many objects have are made and frozen once: storing the policy is part of every start. */
class Parts {
  readonly #lists = new Map<string, readonly string[]>();
  readonly #rules = new Map<string, PolicyRule>();

  list(text: string): readonly string[] {
    let list = this.#lists.get(text);
    if (!list) {
      list = Object.freeze(text.split(','));
      this.#lists.set(text, list);
    }
    return list;
  }

  rule(text: string): PolicyRule {
    let rule = this.#rules.get(text);
    if (!rule) {
      rule = Object.freeze(this.#ruleOf(text));
      this.#rules.set(text, rule);
    }
    return rule;
  }

  #ruleOf(text: string): PolicyRule {
    const [verbs = '', groups = '', resources = '', names = '', urls = ''] = text.split('|');
    if (urls !== '') return { verbs: this.list(verbs), nonResourceURLs: this.list(urls) };
    return {
      verbs: this.list(verbs),
      apiGroups: this.list(groups),
      resources: this.list(resources),
      ...(names === '' ? {} : { resourceNames: this.list(names) }),
    };
  }
}

function roleOf(parts: Parts, kind: string, plural: string): (role: ShortRole) => PolicyObject {
  return (role) => ({
    resource: `${group}/${plural}`,
    object: {
      apiVersion,
      kind,
      metadata: metadataOf(role),
      rules: role.rules?.map((text) => parts.rule(text)) ?? null,
      ...(role.aggregates
        ? {
            aggregationRule: {
              clusterRoleSelectors: role.aggregates.map((to) => ({ matchLabels: aggregation(to) })),
            },
          }
        : {}),
    },
  });
}

function subjectOf(text: string): object {
  const [kind = '', first = '', ...rest] = text.split('/');
  if (kind === 'ServiceAccount') return { kind, name: rest.join('/'), namespace: first };
  return { kind, apiGroup: group, name: [first, ...rest].join('/') };
}

function bindingOf(kind: string, plural: string): (binding: ShortBinding) => PolicyObject {
  return (binding) => {
    const [roleKind = '', ...name] = binding.role.split('/');
    return {
      resource: `${group}/${plural}`,
      object: {
        apiVersion,
        kind,
        metadata: metadataOf(binding),
        subjects: binding.subjects.map(subjectOf),
        roleRef: { apiGroup: group, kind: roleKind, name: name.join('/') },
      },
    };
  };
}

/** The roles and bindings that every cluster starts with; see `generated/README.md`. */
export function bootstrapPolicy(): readonly PolicyObject[] {
  const text = readFileSync(new URL('./generated/bootstrap-policy.json', import.meta.url), 'utf8');
  return objectsOf(JSON.parse(text) as ShortPolicy);
}

/** A policy's objects in their stored form. */
export function objectsOf(policy: ShortPolicy): readonly PolicyObject[] {
  const parts = new Parts();
  return [
    ...policy.clusterRoles.map(roleOf(parts, 'ClusterRole', 'clusterroles')),
    ...policy.clusterRoleBindings.map(bindingOf('ClusterRoleBinding', 'clusterrolebindings')),
    ...policy.roles.map(roleOf(parts, 'Role', 'roles')),
    ...policy.roleBindings.map(bindingOf('RoleBinding', 'rolebindings')),
  ];
}
