import type { MutableJson } from '@coxswain/k8s';
import { listAt, numberAt, objectsAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { isExternal, needsAddress } from './allocate.ts';

/** Whether the type is one with node ports; they stay when no more are to be allocated. */
function hasNodePorts(spec: ReadJson): boolean {
  return ['NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'));
}

/** Takes over what the server chose before when an update does not name it. */
export function keepAllocated(spec: MutableJson, old: ReadJson): void {
  if (needsAddress(old) && needsAddress(spec)) {
    if (textAt(spec, 'clusterIP') === '') spec.clusterIP = old.clusterIP;
    if (listAt(spec, 'clusterIPs').length === 0 && spec.clusterIP === old.clusterIP) spec.clusterIPs = old.clusterIPs;
    if (listAt(spec, 'ipFamilies').length === 0 && old.ipFamilies) spec.ipFamilies = old.ipFamilies;
    if (textAt(spec, 'ipFamilyPolicy') === '' && old.ipFamilyPolicy) spec.ipFamilyPolicy = old.ipFamilyPolicy;
  }
  if (hasNodePorts(old) && hasNodePorts(spec)) keepNodePorts(spec, old);
  const hadCheck = numberAt(old, 'healthCheckNodePort');
  const needsCheck = textAt(spec, 'type') === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
  if (needsCheck && hadCheck !== undefined && numberAt(spec, 'healthCheckNodePort') === undefined)
    spec.healthCheckNodePort = hadCheck;
}

function keepNodePorts(spec: MutableJson, old: ReadJson): void {
  const key = (port: ReadJson) => `${textAt(port, 'protocol')}/${String(port.port)}`;
  const before = new Map(objectsAt(old, 'ports').map((port) => [key(port), port.nodePort]));
  const used = new Set(objectsAt(spec, 'ports').map((port) => port.nodePort));
  for (const port of objectsAt(spec, 'ports')) {
    const kept = before.get(key(port));
    if (!port.nodePort && kept && !used.has(kept)) port.nodePort = kept;
  }
}

function nodePorts(spec: ReadJson): readonly unknown[] {
  const given = objectsAt(spec, 'ports').flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));
  return [...new Set(given)].sort();
}

/** Drops what belonged to the old type, unless the client changed it in the same update. */
export function dropTypeDependent(spec: MutableJson, old: ReadJson): void {
  const drop = (key: string) => {
    if (sameJson(spec[key], old[key])) delete spec[key];
  };
  if (needsAddress(old) && !needsAddress(spec)) {
    for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) drop(key);
  }
  if (hasNodePorts(old) && !hasNodePorts(spec) && sameJson(nodePorts(old), nodePorts(spec))) {
    for (const port of objectsAt(spec, 'ports')) delete port.nodePort;
  }
  const wasBalanced = textAt(old, 'type') === 'LoadBalancer';
  const isBalanced = textAt(spec, 'type') === 'LoadBalancer';
  if (wasBalanced && !isBalanced) for (const key of ['allocateLoadBalancerNodePorts', 'loadBalancerClass']) drop(key);
  const checked = (of: ReadJson) => textAt(of, 'type') === 'LoadBalancer' && of.externalTrafficPolicy === 'Local';
  if (checked(old) && !checked(spec)) drop('healthCheckNodePort');
  if (isExternal(old) && !isExternal(spec)) drop('externalTrafficPolicy');
  if (textAt(spec, 'type') === 'ExternalName') drop('internalTrafficPolicy');
}
