import type { Endpoint, EndpointSlice, Pod, Service, ServicePort } from '@coxswain/k8s';
import { keyString } from '@coxswain/runtime/core';

/** Most endpoints in one slice. */
const sliceSize = 100;

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
export const managedBy = 'endpointslice-controller.k8s.io';

interface SlicePort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

/** The number behind a service's target port in a pod; named ports may differ from pod to pod. */
function targetOf(port: ServicePort, pod: Pod): number | undefined {
  const target = port.targetPort ?? port.port;
  if (typeof target === 'number') return target;
  for (const container of pod.spec?.containers ?? [])
    for (const candidate of container.ports ?? [])
      if (candidate.name === target && (candidate.protocol ?? 'TCP') === (port.protocol ?? 'TCP'))
        return candidate.containerPort;
  return undefined;
}

function portsFor(service: Service, pod: Pod): SlicePort[] {
  return (service.spec?.ports ?? []).flatMap((port) => {
    const number = targetOf(port, pod);
    if (number === undefined) return [];
    return [
      {
        name: port.name ?? '',
        port: number,
        protocol: port.protocol ?? 'TCP',
        ...(port.appProtocol ? { appProtocol: port.appProtocol } : {}),
      },
    ];
  });
}

function endpointOf(service: Service, pod: Pod): Endpoint {
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const serving = isReady(pod);
  const hostname = pod.spec?.hostname && pod.spec.subdomain === service.metadata.name ? pod.spec.hostname : undefined;
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    ...(hostname ? { hostname } : {}),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: {
      kind: 'Pod',
      namespace: pod.metadata.namespace ?? '',
      name: pod.metadata.name,
      uid: pod.metadata.uid ?? '',
    },
  };
}

function sliceOf(
  service: Service,
  index: number,
  ports: readonly SlicePort[],
  endpoints: readonly Endpoint[],
): EndpointSlice {
  const headless: Record<string, string> =
    service.spec?.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {};
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${service.metadata.name}-${index}`,
      namespace: service.metadata.namespace ?? '',
      labels: {
        ...service.metadata.labels,
        ...headless,
        [serviceNameLabel]: service.metadata.name,
        [managedByLabel]: managedBy,
      },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          name: service.metadata.name,
          uid: service.metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    addressType: 'IPv4',
    endpoints,
    ports,
  };
}

/**
 * The slices a service should have: pods with the same ports together, at most {@link sliceSize} in one, in a stable order.
 * A service without pods has one empty slice.
 */
export function desiredSlices(service: Service, pods: Iterable<Pod>): EndpointSlice[] {
  const groups = new Map<string, { ports: SlicePort[]; endpoints: Endpoint[] }>();
  const alive = [...pods].filter(
    ({ status }) => status?.podIP && status.phase !== 'Succeeded' && status.phase !== 'Failed',
  );
  alive.sort((a, b) => keyString(a.metadata).localeCompare(keyString(b.metadata), 'en', { numeric: true }));
  for (const pod of alive) {
    const ports = portsFor(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(endpointOf(service, pod));
    groups.set(key, group);
  }
  if (groups.size === 0) return [sliceOf(service, 0, [], [])];
  const slices: EndpointSlice[] = [];
  for (const { ports, endpoints } of groups.values())
    for (let at = 0; at < endpoints.length; at += sliceSize)
      slices.push(sliceOf(service, slices.length, ports, endpoints.slice(at, at + sliceSize)));
  return slices;
}
