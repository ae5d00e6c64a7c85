import type { PolicyRule } from '@coxswain/k8s';
import type { RbacRules } from '@coxswain/runtime/apply';
import type { RbacUse } from './record-rbac.ts';

/** The rules that hold in a namespace; `''`: those for the whole cluster alone. */
export function rulesAt(rules: readonly PolicyRule[] | RbacRules, namespace: string): readonly PolicyRule[] {
  if (!('cluster' in rules)) return rules;
  return [...rules.cluster, ...(rules.namespaces[namespace] ?? [])];
}

/** Whether a rule allows a use, as the API server's RBAC has it; where the rule holds is not asked. */
export function covers(rule: PolicyRule, use: RbacUse): boolean {
  if (!has(rule.verbs, use.verb)) return false;
  if (use.path !== undefined)
    return rule.nonResourceURLs?.some((pattern) => matchesUrl(pattern, use.path ?? '')) ?? false;
  const names = rule.resourceNames ?? [];
  return (
    has(rule.apiGroups, use.group) &&
    (has(rule.resources, resourceOf(use)) ||
      (use.subresource !== '' && (rule.resources?.includes(`*/${use.subresource}`) ?? false))) &&
    (names.length === 0 || names.includes(use.name))
  );
}

/** `pods`, or `pods/status`. */
export function resourceOf({ resource, subresource }: RbacUse): string {
  return subresource ? `${resource}/${subresource}` : resource;
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((each) => each === '*' || each === value) ?? false;
}

function matchesUrl(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}
