import type { PolicyRule } from '@coxswain/k8s';
import type { RbacRules } from '@coxswain/runtime/apply';
import { covers, resourceOf, rulesAt } from './covers.ts';
import type { RbacUse } from './record-rbac.ts';

/**
 * The rules that lack for the uses, ready to be added: one for each resource, with its verbs. Empty when everything is covered.
 * Says them without names of objects, also where the others name some.
 * @param rules a list is for the whole cluster
 */
export function missingRules(uses: readonly RbacUse[], rules: readonly PolicyRule[] | RbacRules): PolicyRule[] {
  const missing = new Map<string, { readonly rule: PolicyRule; readonly verbs: Set<string> }>();
  for (const use of uses) {
    if (rulesAt(rules, use.namespace).some((rule) => covers(rule, use))) continue;
    const { group, path } = use;
    const where = path ? { nonResourceURLs: [path] } : { apiGroups: [group], resources: [resourceOf(use)] };
    const id = JSON.stringify(where);
    const entry = missing.get(id) ?? { rule: { ...where, verbs: [] }, verbs: new Set() };
    missing.set(id, entry);
    entry.verbs.add(use.verb);
  }
  return [...missing.values()].map(({ rule, verbs }) => ({ ...rule, verbs: [...verbs].sort() }));
}
