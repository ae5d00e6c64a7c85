import { logSetNames, PORT_GOSSIP, PORT_LOG_SERVICE } from '../api/index.ts';

/** The log service as its dependants see it. */
export interface LogService {
  readonly name: string;
  readonly namespace: string;
  /** Wanted stores. */
  readonly replicas: number;
  /** Ordinals that are out of use after a failover. */
  readonly reserveOrdinals?: readonly number[];
  /** `host:port` of HAKeeper where the service is not one of ours: another operator's, or another Kubernetes cluster's. */
  readonly endpoint?: string;
}

/** The ordinals of the wanted stores: the first `replicas` that are not reserved. */
export function storeOrdinals(replicas: number, reserved: readonly number[] = []): readonly number[] {
  const skipped = new Set(reserved);
  const ordinals: number[] = [];
  for (let ordinal = 0; ordinals.length < replicas; ordinal++) {
    if (!skipped.has(ordinal)) ordinals.push(ordinal);
  }
  return ordinals;
}

/** `host:port` of the discovery service. */
export function discoveryAddress(service: Pick<LogService, 'name' | 'namespace' | 'endpoint'>): string {
  return service.endpoint ?? `${logSetNames(service.name).discovery}.${service.namespace}.svc:${PORT_LOG_SERVICE}`;
}

function storeAddresses(service: LogService, port: number): string[] {
  const { workload, headless } = logSetNames(service.name);
  return storeOrdinals(service.replicas, service.reserveOrdinals).map(
    (ordinal) => `${workload}-${ordinal}.${headless}.${service.namespace}.svc:${port}`,
  );
}

/** `host:port` of every log store known, for versions that cannot use discovery. */
export function serviceAddresses(service: LogService): string[] {
  return service.endpoint === undefined ? storeAddresses(service, PORT_LOG_SERVICE) : [service.endpoint];
}

/** `host:port` of every store's gossip endpoint. */
export function gossipSeeds(service: LogService): string[] {
  return storeAddresses(service, PORT_GOSSIP);
}
