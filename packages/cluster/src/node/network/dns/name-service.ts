import { EndpointSlice, Service } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import { parseResolvConf } from '../pod/resolv-conf.ts';
import type { ClusterNames } from './names.ts';
import { DnsServer } from './server.ts';
import { forwarder } from './upstream.ts';

export interface NameServiceOptions {
  readonly client: Client;
  readonly names: ClusterNames;
  /** Where the server is to be. */
  readonly address: string;
  /** The machine's own `resolv.conf`: who is asked for names outside of the cluster. */
  readonly resolvConf: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export const dnsPort = 53;
const key = { namespace: 'kube-system', name: 'kube-dns' };
const labels = { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' };
const ports = [
  { name: 'dns', port: dnsPort, protocol: 'UDP' as const },
  { name: 'dns-tcp', port: dnsPort, protocol: 'TCP' as const },
];

/** The Service by which clients know the name server, as installers of clusters make it. */
const service = (address: string): Service => ({ metadata: { ...key, labels }, spec: { clusterIP: address, ports } });

const slice = (address: string): EndpointSlice => ({
  metadata: { ...key, labels: { ...labels, 'kubernetes.io/service-name': key.name } },
  addressType: 'IPv4',
  endpoints: [{ addresses: [address], conditions: { ready: true } }],
  ports,
});

/**
 * Starts the cluster's name server and publishes it as `kube-system/kube-dns`. `undefined` when another server has that name already, or
 * this user may not listen at port 53, which is only logged.
 */
export async function openNameService(options: NameServiceOptions): Promise<DnsServer | undefined> {
  const { client, names, address, resolvConf, clock, random, log } = options;
  const present = await client.of(Service).find(key);
  if (present && present.spec?.clusterIP !== address) return undefined;
  const servers = parseResolvConf(resolvConf).servers.filter((server) => server !== address);
  const forward = forwarder(servers, clock);
  const server = new DnsServer({ address, port: dnsPort, names, forward, random, log });
  try {
    await server.open();
    if (!present) await client.of(Service).create(service(address));
    const slices = client.of(EndpointSlice);
    if (!(await slices.find(key))) await slices.create(slice(address));
    return server;
  } catch (error) {
    await server.close();
    const reason = String(error);
    log.warn({ address, error: reason }, 'no name server for pods: their hosts files have the names of Services');
    return undefined;
  }
}
