import type { PolicyRule } from '@coxswain/k8s';
import type { RbacRules } from '@coxswain/runtime/apply';
import { covers } from './covers.ts';
import type { RbacUse } from './record-rbac.ts';

/**
 * What the rules allow and no use needed: each rule with the resources and verbs of it that were not used. Empty when all was. What a test
 * does not bring about counts as unused, so expect the list to be what you know to be seldom, and look at each change of it.
 * @param rules a list is for the whole cluster
 */
export function unusedRules(uses: readonly RbacUse[], rules: readonly PolicyRule[] | RbacRules): PolicyRule[] {
  const all = 'cluster' in rules ? rules : { cluster: rules, namespaces: {} };
  return [
    ...all.cluster.flatMap((rule) => leftOver(rule, uses)),
    ...Object.entries(all.namespaces).flatMap(([name, given]) => {
      const here = uses.filter(({ namespace }) => namespace === name);
      return given.flatMap((rule) => leftOver(rule, here));
    }),
  ];
}

/** One rule for each resource whose verbs were not all used. */
function leftOver(rule: PolicyRule, uses: readonly RbacUse[]): PolicyRule[] {
  const { apiGroups = [], resources = [], verbs } = rule;
  const parts: PolicyRule[] =
    resources.length === 0
      ? [rule]
      : apiGroups.flatMap((group) => resources.map((name) => ({ ...rule, apiGroups: [group], resources: [name] })));
  return parts.flatMap((part) => {
    const unused = verbs.filter((verb) => !uses.some((use) => covers({ ...part, verbs: [verb] }, use)));
    return unused.length > 0 ? [{ ...part, verbs: unused }] : [];
  });
}
