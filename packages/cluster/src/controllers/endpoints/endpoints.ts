import type {
  Endpoint,
  EndpointAddress,
  EndpointPort,
  EndpointSlice,
  EndpointSubset,
  Endpoints,
  Service,
} from '@coxswain/k8s';

export const endpointsManagedBy = 'endpoints.kubernetes.io/managed-by';
export const endpointsManager = 'endpoint-controller';

/** The old form of the same facts, from a service's slices: a subset for each slice that has endpoints. */
export function desiredEndpoints(service: Service, slices: readonly EndpointSlice[]): Endpoints {
  const subsets = slices.flatMap((slice): EndpointSubset[] => {
    const address = (endpoint: Endpoint): EndpointAddress => ({
      ip: endpoint.addresses[0] ?? '',
      ...(endpoint.hostname ? { hostname: endpoint.hostname } : {}),
      ...(endpoint.nodeName ? { nodeName: endpoint.nodeName } : {}),
      ...(endpoint.targetRef ? { targetRef: endpoint.targetRef } : {}),
    });
    const staying = (slice.endpoints ?? []).filter(({ conditions }) => !conditions?.terminating);
    const ready = staying.filter(({ conditions }) => conditions?.ready).map(address);
    const notReady = staying.filter(({ conditions }) => !conditions?.ready).map(address);
    if (ready.length + notReady.length === 0) return [];
    const ports = (slice.ports ?? []).map(
      ({ name, port, protocol }) =>
        ({ ...(name ? { name } : {}), port: port ?? 0, protocol: protocol ?? 'TCP' }) satisfies EndpointPort,
    );
    return [
      {
        ...(ready.length ? { addresses: ready } : {}),
        ...(notReady.length ? { notReadyAddresses: notReady } : {}),
        ...(ports.length ? { ports } : {}),
      },
    ];
  });
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      name: service.metadata.name,
      namespace: service.metadata.namespace ?? '',
      labels: { ...service.metadata.labels, [endpointsManagedBy]: endpointsManager },
    },
    ...(subsets.length ? { subsets } : {}),
  };
}
