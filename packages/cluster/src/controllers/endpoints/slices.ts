import type { DiscoveryEndpointPort, Endpoint, EndpointSlice, Node, Pod, Service } from '@coxswain/k8s';
import { Service as ServiceKind } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import { withHints } from './hints.ts';
import { addressesOf, endpointOf, hasAddress, portsOf } from './pod-endpoint.ts';

export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
export const headlessLabel = 'service.kubernetes.io/headless';
export const managedBy = 'endpointslice-controller.k8s.io';

/** Labels of a service that its slices do not take over: they have their own. */
const reserved: ReadonlySet<string> = new Set([serviceNameLabel, managedByLabel, headlessLabel]);

/** Endpoints that have the same ports. */
export interface PortGroup {
  readonly ports: readonly DiscoveryEndpointPort[];
  readonly endpoints: Endpoint[];
}

/** What has the same ports goes together. */
export function portKey(ports: readonly DiscoveryEndpointPort[] | null = []): string {
  const facts = (ports ?? []).map(({ name, port, protocol, appProtocol }) =>
    JSON.stringify([name ?? '', port, protocol, appProtocol]),
  );
  return facts.sort().join();
}

export function isHeadless({ spec }: Service): boolean {
  return !spec?.clusterIP || spec.clusterIP === 'None';
}

/** The address types a service has slices of. */
export function addressTypesOf({ spec }: Service): readonly string[] {
  const families = spec?.ipFamilies ?? [];
  return families.length > 0 ? families : ['IPv4'];
}

function withoutReserved(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !reserved.has(key)));
}

/** Whether the slice has the labels of its service, besides its own. */
export function hasLabelsOf(slice: EndpointSlice, service: Service): boolean {
  const [have, want] = [withoutReserved(slice.metadata.labels), withoutReserved(service.metadata.labels)];
  const keys = Object.keys(want);
  return keys.length === Object.keys(have).length && keys.every((key) => have[key] === want[key]);
}

export function labelsFor(service: Service): Record<string, string> {
  return {
    ...withoutReserved(service.metadata.labels),
    ...(isHeadless(service) ? { [headlessLabel]: '' } : {}),
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: managedBy,
  };
}

/** A slice without a name: the server gives it one. */
export function newSlice(
  service: Service,
  addressType: string,
  ports: readonly DiscoveryEndpointPort[],
  endpoints: readonly Endpoint[],
): EndpointSlice {
  const { name, namespace = '' } = service.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: '',
      generateName: `${name}-`,
      namespace,
      labels: labelsFor(service),
      ownerReferences: [controllerReference(ServiceKind, service)],
    },
    addressType,
    endpoints,
    ports,
  };
}

export function isOwnedBy(slice: EndpointSlice, { metadata }: Service): boolean {
  return (slice.metadata.ownerReferences ?? []).some(({ kind, uid }) => kind === 'Service' && uid === metadata.uid);
}

/**
 * The endpoints of a service by their ports. A pod on a node that is not known cannot be reached, unless the service publishes
 * whatever there is.
 */
export function groupsOf(
  service: Service,
  pods: Iterable<Pod>,
  addressType: string,
  nodeOf: (name: string) => Node | undefined,
): Map<string, PortGroup> {
  const groups = new Map<string, PortGroup>();
  for (const pod of pods) {
    if (!hasAddress(pod)) continue;
    const ports = portsOf(service, pod);
    const key = portKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    const node = nodeOf(pod.spec?.nodeName ?? '');
    const addresses = addressesOf(pod, addressType);
    if (addresses.length === 0 || (!node && !service.spec?.publishNotReadyAddresses)) continue;
    group.endpoints.push(withHints(service, endpointOf(service, pod, node, addresses)));
  }
  return groups;
}
