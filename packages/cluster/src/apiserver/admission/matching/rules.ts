import type { AdmissionAttributes, ResourceInfo } from '../../types.ts';

/** Which requests are meant; `*` stands for all. */
export interface Rule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** `pods`, `pods/exec`, `pods/*`, `*`, and `*` with any subresource */
  readonly resources: readonly string[];
  readonly scope: string;
  /** Names of objects; empty: all. */
  readonly names: readonly string[];
}

const includes = (items: readonly string[], wanted: string): boolean => items.includes('*') || items.includes(wanted);

/** A namespace belongs to the cluster, though it counts as being in itself. */
const isNamespaced = (resource: ResourceInfo, namespace: string): boolean =>
  namespace !== '' && !(resource.group === '' && resource.plural === 'namespaces');

function coversScope(rule: Rule, resource: ResourceInfo, namespace: string): boolean {
  if (rule.scope === 'Namespaced') return isNamespaced(resource, namespace);
  return rule.scope === 'Cluster' ? !isNamespaced(resource, namespace) : true;
}

function coversResource(rule: Rule, plural: string, subresource: string): boolean {
  return rule.resources.some((text) => {
    const slash = text.indexOf('/');
    const wantedPlural = slash < 0 ? text : text.slice(0, slash);
    const wantedSub = slash < 0 ? '' : text.slice(slash + 1);
    return (wantedPlural === '*' || wantedPlural === plural) && (wantedSub === '*' || wantedSub === subresource);
  });
}

type Target = Pick<AdmissionAttributes, 'operation' | 'subresource' | 'namespace' | 'name'>;

/** Whether a rule covers a write, taken as one to `resource` (which may be another version of what was written to). */
export function covers(
  rule: Rule,
  resource: ResourceInfo,
  { operation, subresource, namespace, name }: Target,
): boolean {
  return (
    includes(rule.operations, operation) &&
    includes(rule.groups, resource.group) &&
    includes(rule.versions, resource.version) &&
    coversResource(rule, resource.plural, subresource) &&
    coversScope(rule, resource, namespace) &&
    (rule.names.length === 0 || rule.names.includes(name))
  );
}
