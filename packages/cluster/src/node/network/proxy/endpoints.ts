import type { Endpoint, EndpointSlice, ServicePort } from '@coxswain/k8s';
import type { PodReference } from '../../../apiserver/index.ts';

/** A server behind a port of a Service. */
export interface ServiceEndpoint {
  readonly address: string;
  readonly port: number;
  readonly node: string | undefined;
  /** The pod it is, if it is one. */
  readonly pod: PodReference | undefined;
}

function podOf({ targetRef }: Endpoint): PodReference | undefined {
  const { kind, namespace, name, uid } = targetRef ?? {};
  return kind === 'Pod' && namespace && name && uid ? { namespace, name, uid } : undefined;
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready !== false;
/** Still answers, although it goes away. */
const isLeaving = ({ conditions }: Endpoint): boolean =>
  conditions?.serving === true && conditions.terminating === true;

/**
 * Where connections to a port of a Service may go, as kube-proxy chooses: to what is ready; when nothing is, to what still serves while
 * it terminates.
 * @param local whether endpoints on a node count; absent: all do
 */
export function usableEndpoints(
  port: ServicePort,
  slices: readonly EndpointSlice[],
  local: (node: string | undefined) => boolean = () => true,
): readonly ServiceEndpoint[] {
  const ready = new Map<string, ServiceEndpoint>();
  const leaving = new Map<string, ServiceEndpoint>();
  for (const { addressType, endpoints, ports } of slices) {
    const target = ports?.find(
      ({ name, protocol }) => (name ?? '') === (port.name ?? '') && (protocol ?? 'TCP') === (port.protocol ?? 'TCP'),
    )?.port;
    if (addressType !== 'IPv4' || !target) continue;
    for (const endpoint of endpoints ?? []) {
      const [address] = endpoint.addresses;
      const list = isReady(endpoint) ? ready : isLeaving(endpoint) ? leaving : undefined;
      if (address === undefined || !local(endpoint.nodeName)) continue;
      list?.set(`${address}:${target}`, { address, port: target, node: endpoint.nodeName, pod: podOf(endpoint) });
    }
  }
  return [...(ready.size > 0 ? ready : leaving).values()];
}
