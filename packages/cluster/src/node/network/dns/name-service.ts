import { EndpointSlice, Service } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { type Clock, isAlreadyExists, type Logger, type Random } from '@coxswain/runtime/core';
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

/** Makes the Service by which clients know the name server, as installers of clusters do. */
async function publish(client: Client, address: string): Promise<void> {
  const ports = (['UDP', 'TCP'] as const).map((protocol) => ({
    name: protocol === 'UDP' ? 'dns' : 'dns-tcp',
    port: dnsPort,
    protocol,
  }));
  const labels = { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' };
  const ignorePresent = (error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  };
  await client
    .of(Service)
    .create({ metadata: { ...key, labels }, spec: { clusterIP: address, ports } })
    .catch(ignorePresent);
  await client
    .of(EndpointSlice)
    .create({
      metadata: { ...key, labels: { ...labels, 'kubernetes.io/service-name': key.name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports,
    })
    .catch(ignorePresent);
}

/**
 * Starts the cluster's name server and publishes it as `kube-system/kube-dns`. `undefined` when another server has that name already, or
 * this user may not listen at port 53.
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
  } catch (error) {
    const reason = String(error);
    log.warn({ address, error: reason }, 'no name server for pods: their hosts files have the names of Services');
    return undefined;
  }
  await publish(client, address);
  return server;
}
