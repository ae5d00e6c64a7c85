import { isIP } from 'node:net';
import type { Endpoint, EndpointSlice, Service } from '@coxswain/k8s';
import type { ServiceDirectory } from '../service-directory.ts';

/** Something that a name of the cluster stands for. */
export type DnsRecord =
  | { readonly type: 'A'; readonly name: string; readonly address: string }
  | { readonly type: 'CNAME'; readonly name: string; readonly target: string }
  | { readonly type: 'PTR'; readonly name: string; readonly target: string }
  | { readonly type: 'SRV'; readonly name: string; readonly target: string; readonly port: number }
  | { readonly type: 'TXT'; readonly name: string; readonly text: string };

/**
 * What is known of a name: its records of all types, perhaps none (`NODATA` for every type that is not among them), or that there is
 * no such name (`NXDOMAIN`), or that others have to be asked.
 */
export type NameAnswer =
  | { readonly kind: 'records'; readonly records: readonly DnsRecord[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'elsewhere' };

/** The domain of the cluster. */
export const zone = 'cluster.local';
/** Version of the schema of names (Kubernetes DNS-based service discovery). */
const schemaVersion = '1.1.0';

const missing: NameAnswer = { kind: 'missing' };
const records = (...all: readonly DnsRecord[]): NameAnswer => ({ kind: 'records', records: all });

/** Endpoints that are told of, with their slice. Those of Services that publish all are ready in their slice. */
function* readyEndpoints(slices: readonly EndpointSlice[]): Generator<readonly [Endpoint, EndpointSlice]> {
  for (const slice of slices) {
    if (slice.addressType !== 'IPv4') continue;
    for (const endpoint of slice.endpoints ?? []) if (endpoint.conditions?.ready !== false) yield [endpoint, slice];
  }
}

/** The first part of an endpoint's name. */
const hostnameOf = ({ hostname }: Endpoint, address: string): string => hostname || address.replaceAll('.', '-');

const portsOf = ({ ports }: EndpointSlice) =>
  ports?.length ? ports : [{ name: '', port: undefined, protocol: 'TCP' as const }];

interface Wanted {
  /** Hostname of an endpoint. */
  readonly endpoint?: string;
  /** Name and protocol of a port, without their underscores. */
  readonly port?: { readonly name: string; readonly protocol: string };
}

const isWanted = ({ port }: Wanted, name: string | undefined, protocol: string | undefined): boolean =>
  !port || (port.name === (name ?? '') && port.protocol === (protocol ?? 'TCP').toLowerCase());

/** What the names of a cluster stand for (Kubernetes DNS-based service discovery 1.1.0), answered as CoreDNS does. Names are in lower case. */
export class ClusterNames {
  readonly #directory: ServiceDirectory;

  constructor(directory: ServiceDirectory) {
    this.#directory = directory;
  }

  /** @param name without the dot at its end */
  find(name: string): NameAnswer {
    if (name.endsWith('.in-addr.arpa')) return this.#reverse(name);
    if (name === zone) return records();
    if (!name.endsWith(`.${zone}`)) return { kind: 'elsewhere' };
    const labels = name.slice(0, -zone.length - 1).split('.');
    const kind = labels.pop();
    if (kind === 'dns-version' && labels.length === 0) return records({ type: 'TXT', name, text: schemaVersion });
    if (kind !== 'svc' && kind !== 'pod') return missing;
    const namespace = labels.pop();
    if (namespace === undefined) return records();
    if (!this.#directory.hasNamespace(namespace)) return missing;
    if (labels.length === 0) return records();
    return kind === 'pod' ? this.#pod(name, labels) : this.#service(name, namespace, labels);
  }

  /** `10-244-0-7.shop.pod.cluster.local`; whether there is such a pod is not asked. */
  #pod(name: string, labels: readonly string[]): NameAnswer {
    const address = labels.length === 1 ? (labels[0] ?? '').replaceAll('-', '.') : '';
    const isAddress = /^\d{1,3}(\.\d{1,3}){3}$/.test(address) && address.split('.').every((part) => Number(part) < 256);
    return isAddress ? records({ type: 'A', name, address }) : missing;
  }

  #service(name: string, namespace: string, labels: string[]): NameAnswer {
    const service = this.#directory.service({ namespace, name: labels.pop() ?? '' });
    if (!service) return missing;
    const [first = '', second = '', ...rest] = labels;
    if (rest.length > 0) return missing;
    if (first === '') return this.#answer(name, service, {});
    // `_tcp.web…` has nothing itself, but names below it.
    if (second === '' && first.startsWith('_')) return records();
    if (second === '') return this.#answer(name, service, { endpoint: first });
    if (!first.startsWith('_') || !second.startsWith('_')) return missing;
    return this.#answer(name, service, { port: { name: first.slice(1), protocol: second.slice(1) } });
  }

  #answer(name: string, service: Service, wanted: Wanted): NameAnswer {
    const { spec } = service;
    if (spec?.type === 'ExternalName') {
      const target = (spec.externalName ?? '').replace(/\.$/, '');
      const leads = wanted.endpoint === undefined && !wanted.port && isIP(target) === 0;
      return leads ? records({ type: 'CNAME', name, target }) : missing;
    }
    const headless = spec?.clusterIP === 'None';
    const found =
      headless || wanted.endpoint !== undefined
        ? this.#ofEndpoints(name, service, wanted)
        : this.#ofService(name, service, wanted);
    return found.length > 0 ? records(...found) : missing;
  }

  #ofService(name: string, { metadata, spec }: Service, wanted: Wanted): readonly DnsRecord[] {
    const full = `${metadata.name}.${metadata.namespace}.svc.${zone}`;
    const ports = (spec?.ports ?? []).filter((port) => isWanted(wanted, port.name, port.protocol));
    if (ports.length === 0) return [];
    const addresses = (spec?.clusterIPs ?? []).filter((address) => !address.includes(':'));
    return [
      ...addresses.map((address): DnsRecord => ({ type: 'A', name, address })),
      ...ports.map(({ port }): DnsRecord => ({ type: 'SRV', name, target: full, port })),
    ];
  }

  #ofEndpoints(name: string, { metadata }: Service, wanted: Wanted): readonly DnsRecord[] {
    const full = `${metadata.name}.${metadata.namespace}.svc.${zone}`;
    const found = new Map<string, DnsRecord>();
    for (const [endpoint, slice] of readyEndpoints(
      this.#directory.slices({ namespace: metadata.namespace ?? '', name: metadata.name }),
    )) {
      for (const address of endpoint.addresses) {
        const hostname = hostnameOf(endpoint, address);
        if (wanted.endpoint !== undefined && wanted.endpoint !== hostname) continue;
        for (const { name: portName, port, protocol } of portsOf(slice)) {
          if (!isWanted(wanted, portName, protocol)) continue;
          found.set(`A ${address}`, { type: 'A', name, address });
          const target = `${hostname}.${full}`;
          if (port) found.set(`SRV ${target} ${port}`, { type: 'SRV', name, target, port });
        }
      }
    }
    return [...found.values()];
  }

  #reverse(name: string): NameAnswer {
    const address = name.slice(0, -'.in-addr.arpa'.length).split('.').reverse().join('.');
    const service = this.#directory.serviceAt(address);
    if (service && address !== 'None') {
      const { metadata } = service;
      return records({ type: 'PTR', name, target: `${metadata.name}.${metadata.namespace}.svc.${zone}` });
    }
    const targets = new Set<string>();
    for (const [endpoint, { metadata }] of readyEndpoints(this.#directory.slicesAt(address))) {
      const of = metadata.labels?.['kubernetes.io/service-name'];
      if (!of || !endpoint.addresses.includes(address)) continue;
      targets.add(`${hostnameOf(endpoint, address)}.${of}.${metadata.namespace}.svc.${zone}`);
    }
    // Of addresses of this machine nobody else knows anything.
    if (targets.size === 0) return address.startsWith('127.') ? missing : { kind: 'elsewhere' };
    return records(...[...targets].map((target): DnsRecord => ({ type: 'PTR', name, target })));
  }
}
