/** Labels of Kubernetes' own that a node may say of itself. */
const own = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);

const within = (namespace: string, domain: string): boolean => namespace === domain || namespace.endsWith(`.${domain}`);

function isForbidden(key: string): boolean {
  const slash = key.indexOf('/');
  const namespace = slash < 0 ? '' : key.slice(0, slash);
  if (within(namespace, 'node-restriction.kubernetes.io')) return true;
  if (!within(namespace, 'kubernetes.io') && !within(namespace, 'k8s.io')) return false;
  return !own.has(key) && !within(namespace, 'kubelet.kubernetes.io') && !within(namespace, 'node.kubernetes.io');
}

type Labels = Readonly<Record<string, string>>;

/** Labels that differ and that a node may not set: it could draw pods to itself by them. */
export function forbiddenChanges(labels: Labels, before: Labels): readonly string[] {
  const keys = new Set([...Object.keys(labels), ...Object.keys(before)]);
  return [...keys].filter((key) => labels[key] !== before[key] && isForbidden(key)).sort();
}
