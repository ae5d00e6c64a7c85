import type { Endpoint, EndpointSlice, Pod, Service } from '@coxswain/k8s';
import { apiError, badRequest, notFound, type Random } from '@coxswain/runtime/core';
import type { Storage } from '../../../storage/types.ts';
import type { NodeConnections } from '../../nodes.ts';
import type { Backend } from './backend.ts';
import { podBackend } from './pod-backend.ts';
import { readTarget } from './target.ts';

const unavailable = (message: string) => apiError(503, 'ServiceUnavailable', message);

/** A port that is given by its number is meant by its name. @throws ApiError */
function portName(storage: Storage, namespace: string, name: string, port: string): string {
  if (!/^[+-]?\d+$/.test(port)) return port;
  const service = storage.get({ resource: '/services', namespace, name }) as Service | undefined;
  if (!service) throw notFound({ group: '', plural: 'services' }, name);
  const declared = service.spec?.ports?.find((one) => one.port === Number(port));
  if (!declared) throw unavailable(`no service port ${Number(port)} found for service ${JSON.stringify(name)}`);
  return declared.name ?? '';
}

/** The pod behind an endpoint, if it still has the address. */
function podOf(storage: Storage, namespace: string, { targetRef, addresses }: Endpoint): Pod | undefined {
  if (targetRef?.namespace !== namespace || !targetRef.name) return undefined;
  const pod = storage.get({ resource: '/pods', namespace, name: targetRef.name }) as Pod | undefined;
  return pod?.status?.podIPs?.some(({ ip }) => ip === addresses[0]) ? pod : undefined;
}

/** A list from a random place on, and then its beginning. */
function turned<T>(items: readonly T[], random: Random): readonly T[] {
  const start = Math.floor(random.next() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

/** The server that `services/NAME/proxy` leads to now: a ready endpoint that is a pod. @throws ApiError */
export function namedService(
  { nodes, random }: { readonly nodes: NodeConnections; readonly random: Random },
  storage: Storage,
  namespace: string,
  text: string,
): Backend {
  const target = readTarget(text);
  if (!target) throw badRequest(`invalid service request ${JSON.stringify(text)}`);
  const { name, scheme } = target;
  const wanted = portName(storage, namespace, name, target.port);
  const all = storage.list('discovery.k8s.io/endpointslices', { namespace }).objects as readonly EndpointSlice[];
  const own = all.filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name);
  const mixed = turned(own, random).toSorted(
    (a, b) => Number(b.addressType === 'IPv4') - Number(a.addressType === 'IPv4'),
  );
  for (const slice of mixed) {
    for (const { name: given, port } of slice.ports ?? []) {
      if (given !== wanted || !port) continue;
      for (const endpoint of turned(slice.endpoints ?? [], random)) {
        if (endpoint.conditions?.ready === false) continue;
        const pod = podOf(storage, namespace, endpoint);
        if (pod) return podBackend(nodes, pod, { scheme, address: endpoint.addresses[0] ?? '', port: String(port) });
      }
    }
  }
  throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`);
}
