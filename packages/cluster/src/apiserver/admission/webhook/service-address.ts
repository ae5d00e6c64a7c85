import type { EndpointSlice, Service } from '@coxswain/k8s';
import type { Storage } from '../../../storage/types.ts';
import type { ServiceReference } from './hook.ts';

const isLoopback = (address: string): boolean => /^127\./.test(address) || address === '::1';

/**
 * Where a Service is on this machine: a ready endpoint with a loopback address; when its endpoints have others, its own address, if that
 * is one. Pods of simulated nodes have addresses that lead nowhere.
 * @throws Error when there is none
 */
export function serviceAddress(
  storage: Storage,
  { namespace, name, port }: ServiceReference,
): { readonly host: string; readonly port: number } {
  const service = storage.get({ resource: '/services', namespace, name }) as Service | undefined;
  if (!service) throw new Error(`service ${JSON.stringify(name)} not found`);
  const entry = service.spec?.ports?.find((one) => one.port === port);
  if (!entry) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const slices = storage.list('discovery.k8s.io/endpointslices', { namespace }).objects as readonly EndpointSlice[];
  let elsewhere = false;
  for (const slice of slices) {
    if (slice.metadata.labels?.['kubernetes.io/service-name'] !== name) continue;
    const target = slice.ports?.find((one) => (one.name ?? '') === (entry.name ?? ''))?.port;
    const ready = (slice.endpoints ?? []).filter((endpoint) => endpoint.conditions?.ready !== false);
    const host = ready.flatMap((endpoint) => endpoint.addresses).find(isLoopback);
    if (host !== undefined && target !== undefined) return { host, port: target };
    elsewhere ||= ready.length > 0;
  }
  const own = service.spec?.clusterIP ?? '';
  if (elsewhere && isLoopback(own)) return { host: own, port };
  throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
}
