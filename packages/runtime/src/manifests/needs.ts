import type { PolicyRule } from '@coxswain/k8s';
import type { RbacRules } from '../apply/index.ts';
import { normalizeRules } from './normalize-rules.ts';

/** One thing that must be allowed. */
export interface Needs {
  readonly rule: PolicyRule;
  /** Where; absent: in the whole cluster. */
  readonly namespace?: string;
}

/** One need for each namespace; without namespaces, one for the whole cluster. */
export function needsIn(namespaces: readonly string[] | undefined, rule: PolicyRule): readonly Needs[] {
  return namespaces ? namespaces.map((namespace) => ({ namespace, rule })) : [{ rule }];
}

/** Rules as needs. */
export function everywhere({ cluster, namespaces }: RbacRules): readonly Needs[] {
  const within = Object.entries(namespaces).flatMap(([name, rules]) => rules.flatMap((rule) => needsIn([name], rule)));
  return [...cluster.map((rule) => ({ rule })), ...within];
}

/** Needs as the fewest rules. What may be done everywhere need not be allowed in a namespace again. */
export function rulesFrom(needs: readonly Needs[]): RbacRules {
  const everywhere = needs.flatMap(({ namespace, rule }) => (namespace === undefined ? split(rule) : []));
  const known = new Set(everywhere.map((rule) => JSON.stringify(rule)));
  const inNamespaces = needs.flatMap(({ namespace, rule }) => {
    if (namespace === undefined) return [];
    const lacking = split(rule).filter((one) => !known.has(JSON.stringify(one)));
    return lacking.map((one) => ({ namespace, rule: one }));
  });
  const grouped = [...Map.groupBy(inNamespaces, ({ namespace }) => namespace)].map(([name, parts]) => {
    return [name, normalizeRules(parts.map(({ rule }) => rule))] as const;
  });
  return { cluster: normalizeRules(everywhere), namespaces: Object.fromEntries(grouped) };
}

/** A rule for each verb, group and resource: those that can be compared. */
function split({ apiGroups = [], resources = [], verbs, ...rest }: PolicyRule): readonly PolicyRule[] {
  if (resources.length === 0) return [{ ...rest, verbs }];
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({ ...rest, apiGroups: [group], resources: [resource], verbs: [verb] })),
    ),
  );
}
