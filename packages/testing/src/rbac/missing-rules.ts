import type { PolicyRule } from '@coxswain/k8s';
import type { RbacUse } from './record-rbac.ts';

/**
 * The rules that lack for the uses, ready to be added: one for each resource, with its verbs. Empty when everything is covered.
 * Says them without names of objects, also where the others name some.
 */
export function missingRules(uses: readonly RbacUse[], rules: readonly PolicyRule[]): PolicyRule[] {
  const missing = new Map<string, { readonly rule: PolicyRule; readonly verbs: Set<string> }>();
  for (const use of uses) {
    if (rules.some((rule) => covers(rule, use))) continue;
    const { group, path } = use;
    const where = path ? { nonResourceURLs: [path] } : { apiGroups: [group], resources: [resourceOf(use)] };
    const id = JSON.stringify(where);
    const entry = missing.get(id) ?? { rule: { ...where, verbs: [] }, verbs: new Set() };
    missing.set(id, entry);
    entry.verbs.add(use.verb);
  }
  return [...missing.values()].map(({ rule, verbs }) => ({ ...rule, verbs: [...verbs].sort() }));
}

const resourceOf = ({ resource, subresource }: RbacUse): string =>
  subresource ? `${resource}/${subresource}` : resource;

function covers(rule: PolicyRule, use: RbacUse): boolean {
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

function has(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((each) => each === '*' || each === value) ?? false;
}

function matchesUrl(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}
