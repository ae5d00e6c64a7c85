import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints, Pod, Service } from '@coxswain/k8s';
import { isPodReady } from '../workload/pods.ts';
import { addressesOf, hasAddress, hostnameOf, portsOf, referenceTo } from './pod-endpoint.ts';
import { addressTypesOf, headlessLabel, isHeadless } from './slices.ts';
import { repackSubsets } from './subsets.ts';
import { stamped } from './trigger-times.ts';

export const endpointsManagedBy = 'endpoints.kubernetes.io/managed-by';
export const endpointsManager = 'endpoint-controller';
/** Annotation: there are more addresses than these. */
const overCapacity = 'endpoints.kubernetes.io/over-capacity';
/** Most addresses of an Endpoints object. */
const capacity = 1000;

function subsetOf(service: Service, pod: Pod, ports: readonly EndpointPort[]): EndpointSubset | undefined {
  const [ip] = addressesOf(pod, addressTypesOf(service)[0] ?? 'IPv4');
  if (!ip) return undefined;
  const hostname = hostnameOf(service, pod);
  const address: EndpointAddress = {
    ip,
    ...(hostname ? { hostname } : {}),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: referenceTo(pod),
  };
  const ready = service.spec?.publishNotReadyAddresses === true || isPodReady(pod);
  return { ...(ready ? { addresses: [address] } : { notReadyAddresses: [address] }), ports };
}

function subsetsOf(service: Service, pods: Iterable<Pod>): EndpointSubset[] {
  const subsets: EndpointSubset[] = [];
  for (const pod of pods) {
    if (!hasAddress(pod) || (pod.metadata.deletionTimestamp && !service.spec?.publishNotReadyAddresses)) continue;
    const ports = portsOf(service, pod).map(({ name, port = 0, protocol = 'TCP', appProtocol }) => ({
      ...(name ? { name } : {}),
      port,
      protocol,
      ...(appProtocol ? { appProtocol } : {}),
    }));
    if (ports.length === 0 && !((service.spec?.ports ?? []).length === 0 && service.spec?.clusterIP === 'None'))
      continue;
    const subset = subsetOf(service, pod, ports);
    if (subset) subsets.push(subset);
  }
  return repackSubsets(subsets);
}

const count = (subsets: readonly EndpointSubset[], of: 'addresses' | 'notReadyAddresses') =>
  subsets.reduce((sum, subset) => sum + (subset[of]?.length ?? 0), 0);

/** At most {@link capacity} addresses: those that are not ready go first, each subset gives its share. */
function truncated(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const ready = count(subsets, 'addresses');
  const notReady = count(subsets, 'notReadyAddresses');
  if (ready + notReady <= capacity) return subsets;
  const field = ready > capacity ? 'addresses' : 'notReadyAddresses';
  const total = ready > capacity ? ready : notReady;
  const room = ready > capacity ? capacity : capacity - ready;
  let left = room;
  return subsets.map(({ notReadyAddresses, ...subset }) => {
    const list = field === 'addresses' ? subset.addresses : notReadyAddresses;
    const kept = (list ?? []).slice(0, Math.min(left, Math.ceil(((list?.length ?? 0) / total) * room)));
    left -= kept.length;
    return { ...subset, ...(kept.length > 0 ? { [field]: kept } : {}) };
  });
}

/**
 * The older form of the same facts. Answers `before` itself when it says so already.
 * @param triggered for the annotation, when the object has to be written
 */
export function desiredEndpoints(
  service: Service,
  pods: Iterable<Pod>,
  before: Endpoints | undefined,
  triggered: string | undefined,
): Endpoints {
  const all = subsetsOf(service, pods);
  const subsets = truncated(all);
  const { [headlessLabel]: _headless, ...labels } = service.metadata.labels ?? {};
  const { [overCapacity]: _over, ...annotations } = stamped(before?.metadata.annotations, triggered);
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      ...before?.metadata,
      name: service.metadata.name,
      namespace: service.metadata.namespace ?? '',
      labels: {
        ...labels,
        ...(isHeadless(service) ? { [headlessLabel]: '' } : {}),
        [endpointsManagedBy]: endpointsManager,
      },
      annotations: { ...annotations, ...(subsets === all ? {} : { [overCapacity]: 'truncated' }) },
    },
    ...(subsets.length > 0 ? { subsets } : {}),
  };
}
