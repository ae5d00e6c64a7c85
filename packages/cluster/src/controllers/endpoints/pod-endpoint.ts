import { isIP } from 'node:net';
import type { DiscoveryEndpointPort, Endpoint, Node, Pod, Service, ServicePort } from '@coxswain/k8s';
import { isPodReady } from '../workload/pods.ts';

/** Where a node says in which zone it is. */
export const zoneLabel = 'topology.kubernetes.io/zone';

/** Whether a pod can be reached at all: it has an address and has not ended. */
export function hasAddress({ status }: Pod): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  return Boolean(status?.podIP) || (status?.podIPs ?? []).length > 0;
}

/** A pod's addresses of one family. */
export function addressesOf({ status }: Pod, addressType: string): string[] {
  const all = status?.podIPs?.map(({ ip }) => ip) ?? [status?.podIP ?? ''];
  return all.filter((ip) => isIP(ip) === (addressType === 'IPv6' ? 6 : 4));
}

/** The number behind a service's target port in a pod, by name also of its sidecars; named ports may differ from pod to pod. */
export function targetOf(port: ServicePort, { spec }: Pod): number | undefined {
  const target = port.targetPort ?? port.port;
  if (typeof target === 'number') return target;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const { ports = [] } of [...(spec?.containers ?? []), ...sidecars])
    for (const candidate of ports)
      if (candidate.name === target && (candidate.protocol ?? 'TCP') === (port.protocol ?? 'TCP'))
        return candidate.containerPort;
  return undefined;
}

/** A service's ports as one pod has them. */
export function portsOf(service: Service, pod: Pod): DiscoveryEndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((port) => {
    const number = targetOf(port, pod);
    if (number === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = port;
    return [{ name, port: number, protocol, ...(appProtocol ? { appProtocol } : {}) }];
  });
}

/** The name under which a headless service knows a pod. */
export function hostnameOf(service: Service, { spec }: Pod): string | undefined {
  return spec?.hostname && spec.subdomain === service.metadata.name ? spec.hostname : undefined;
}

export function referenceTo({ metadata }: Pod) {
  return { kind: 'Pod', namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid ?? '' };
}

/** @param node the pod's node; `undefined` when it is not known */
export function endpointOf(service: Service, pod: Pod, node: Node | undefined, addresses: readonly string[]): Endpoint {
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const serving = isPodReady(pod);
  const hostname = hostnameOf(service, pod);
  const zone = node?.metadata.labels?.[zoneLabel];
  return {
    addresses,
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    ...(hostname ? { hostname } : {}),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: referenceTo(pod),
    ...(zone ? { zone } : {}),
  };
}
