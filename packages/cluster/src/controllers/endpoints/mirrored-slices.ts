import { isIP } from 'node:net';
import type { Endpoint, EndpointAddress, EndpointSlice, EndpointSubset, Endpoints } from '@coxswain/k8s';
import { Endpoints as EndpointsKind } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import { managedByLabel, portKey, serviceNameLabel } from './slices.ts';
import { repackSubsets } from './subsets.ts';

/** Who manages mirrored slices, as their label says. */
export const mirroredBy = 'endpointslicemirroring-controller.k8s.io';

/** Most addresses of a subset that are mirrored. */
export const mostAddresses = 1000;

/** Annotations that say something of the Endpoints object itself. */
const ownAnnotations = new Set([
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

/** What mirrored slices have in common with each other: one per set of ports and family. */
export function mirrorKey({ addressType, ports }: Pick<EndpointSlice, 'addressType' | 'ports'>): string {
  return `${addressType} ${portKey(ports)}`;
}

/** How many addresses are too many to be mirrored. */
export function skippedAddresses({ subsets = [] }: Endpoints): number {
  return repackSubsets(subsets).reduce((sum, { addresses = [], notReadyAddresses = [] }) => {
    return sum + Math.max(0, addresses.length + notReadyAddresses.length - mostAddresses);
  }, 0);
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(nodeName ? { nodeName } : {}),
    ...(targetRef ? { targetRef } : {}),
  };
}

function portsOf({ ports = [] }: EndpointSubset) {
  return ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
    name,
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol }),
  }));
}

function addressesOf({ addresses = [], notReadyAddresses = [] }: EndpointSubset): Endpoint[] {
  const all = [
    ...addresses.map((address) => endpointOf(address, true)),
    ...notReadyAddresses.map((address) => endpointOf(address, false)),
  ];
  return all.slice(0, mostAddresses);
}

function withoutOwn(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !ownAnnotations.has(key)));
}

/** The slices that say what an Endpoints object says, without names. */
export function mirroredSlices(endpoints: Endpoints): EndpointSlice[] {
  const { name, namespace = '', labels, annotations } = endpoints.metadata;
  const slices = new Map<string, EndpointSlice & { readonly endpoints: Endpoint[] }>();
  for (const subset of repackSubsets(endpoints.subsets ?? [])) {
    const ports = portsOf(subset);
    for (const endpoint of addressesOf(subset)) {
      const family = isIP(endpoint.addresses[0] ?? '');
      if (family === 0) continue;
      const addressType = family === 6 ? 'IPv6' : 'IPv4';
      const key = mirrorKey({ addressType, ports });
      const slice = slices.get(key) ?? {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          name: '',
          generateName: `${name}-`,
          namespace,
          labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirroredBy },
          annotations: withoutOwn(annotations),
          ownerReferences: [controllerReference(EndpointsKind, endpoints)],
        },
        addressType,
        ports,
        endpoints: [],
      };
      slice.endpoints.push(endpoint);
      slices.set(key, slice);
    }
  }
  return [...slices.values()];
}
