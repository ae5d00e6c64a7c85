import type { PolicyRule } from '@coxswain/k8s';

interface Rule {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly names: readonly string[];
  readonly urls: readonly string[];
  readonly verbs: readonly string[];
}

/**
 * The same permissions in the fewest rules, in a stable order, as controller-gen writes them: rules for one resource
 * are merged, then resources, groups and URLs with equal permissions; `*` swallows the verbs beside it; `core` is `""`.
 */
export function normalizeRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  let merged = rules.flatMap(split);
  for (const part of ['verbs', 'resources', 'groups', 'urls'] as const) merged = mergeBy(merged, part);
  return merged.toSorted((a, b) => compare(keyOf(a), keyOf(b))).map(written);
}

/** One rule for each resource. */
function split(rule: PolicyRule): readonly Rule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = rule;
  const groups = unique(apiGroups.map((group) => (group === 'core' ? '' : group)));
  const one = { groups, names: unique(resourceNames), urls: unique(nonResourceURLs), verbs: unique(verbs) };
  return resources.length === 0 ? [{ ...one, resources }] : resources.map((name) => ({ ...one, resources: [name] }));
}

/** Rules that differ in one part only become one. */
function mergeBy(rules: readonly Rule[], part: keyof Rule): Rule[] {
  const merged = new Map<string, Rule>();
  for (const rule of rules) {
    const key = JSON.stringify({ ...rule, [part]: [] });
    const known = merged.get(key);
    merged.set(key, known ? { ...known, [part]: unique([...known[part], ...rule[part]]) } : rule);
  }
  return [...merged.values()];
}

function keyOf({ groups, resources, names, urls }: Rule): string {
  return [groups, resources, names, urls].map((part) => part.join('&')).join(' + ');
}

function written({ groups, resources, names, urls, verbs }: Rule): PolicyRule {
  return {
    ...(groups.length > 0 && { apiGroups: groups }),
    ...(urls.length > 0 && { nonResourceURLs: urls }),
    ...(names.length > 0 && { resourceNames: names }),
    ...(resources.length > 0 && { resources }),
    verbs: verbs.includes('*') ? ['*'] : verbs,
  };
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort(compare);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
