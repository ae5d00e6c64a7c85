import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '@coxswain/k8s';

type Labels = Readonly<Record<string, string>>;

const integer = /^[+-]?\d+$/;

function requirementHolds({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      const [than = ''] = values;
      if (value === undefined || !integer.test(value) || !integer.test(than)) return false;
      return operator === 'Gt' ? BigInt(value) > BigInt(than) : BigInt(value) < BigInt(than);
    }
    default:
      return false;
  }
}

/** Whether a term selects a node. A term without requirements selects none. */
export function termSelects(term: NodeSelectorTerm, { metadata }: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((one) => requirementHolds(one, metadata.labels ?? {})) &&
    matchFields.every((one) => requirementHolds(one, { 'metadata.name': metadata.name }))
  );
}

export function nodeSelected(selector: NodeSelector | undefined, node: Node): boolean {
  return !selector || selector.nodeSelectorTerms.some((term) => termSelects(term, node));
}

/** Whether a pod's node selector and required node affinity allow a node. */
export function podAllowsNode({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const key in spec?.nodeSelector) if (labels[key] !== spec.nodeSelector[key]) return false;
  return nodeSelected(spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution, node);
}

/** The nodes that a pod's required affinity names one by one (`metadata.name`); `undefined` when it leaves any open. */
export function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!terms?.length) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    const [first, ...rest] = lists;
    if (!first) return undefined;
    for (const name of first.values ?? []) if (rest.every(({ values }) => values?.includes(name))) names.add(name);
  }
  return names;
}
