import { EndpointSlice, Service } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import { machine, type Place } from '../place.ts';
import { parseResolvConf } from '../pod/resolv-conf.ts';
import type { ClusterNames } from './names.ts';
import { DnsServer } from './server.ts';
import { type Forward, forwarder } from './upstream.ts';

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

const dnsPort = 53;
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

/** The cluster's name server, in each network that pods are in. It is `kube-system/kube-dns`, unless another one has that name. */
export class NameService {
  readonly #options: NameServiceOptions;
  readonly #forward: Forward;
  readonly #servers = new Map<Place, DnsServer>();
  /** Another name server has the name: its Service is like any other. */
  #foreign: string | undefined;

  private constructor(options: NameServiceOptions) {
    this.#options = options;
    const { resolvConf, address, clock } = options;
    const servers = parseResolvConf(resolvConf).servers.filter((server) => server !== address);
    this.#forward = forwarder(servers, clock);
  }

  /** Starts it on the machine and publishes it. Where port 53 cannot be had that is only logged. */
  static async open(options: NameServiceOptions): Promise<NameService> {
    const { client, address } = options;
    const names = new NameService(options);
    const present = await client.of(Service).find(key);
    const given = present?.spec?.clusterIP;
    if (present && given !== address) names.#foreign = given;
    else if (await names.openIn(machine)) await names.#publish(present !== undefined);
    return names;
  }

  /** The address at which pods in a place ask; `undefined`: there is nobody to ask. */
  addressIn(place: Place): string | undefined {
    return this.#servers.has(place) ? this.#options.address : this.#foreign;
  }

  /** Whether it listens there itself. */
  listensAt(place: Place, address: string, port: number): boolean {
    return port === dnsPort && address === this.#options.address && this.#servers.has(place);
  }

  /** Starts it in one more place; false when that cannot be. */
  async openIn(place: Place): Promise<boolean> {
    if (this.#foreign !== undefined) return false;
    const { names, address, random, log } = this.#options;
    const server = new DnsServer({ place, address, port: dnsPort, names, forward: this.#forward, random, log });
    try {
      await server.open();
      this.#servers.set(place, server);
      return true;
    } catch (error) {
      const reason = String(error);
      log.warn({ address, error: reason }, 'no name server for pods: their hosts files have the names of Services');
      return false;
    }
  }

  async closeIn(place: Place): Promise<void> {
    await this.#servers.get(place)?.close();
    this.#servers.delete(place);
  }

  async close(): Promise<void> {
    for (const place of [...this.#servers.keys()]) await this.closeIn(place);
  }

  async #publish(present: boolean): Promise<void> {
    const { client, address, log } = this.#options;
    try {
      if (!present) await client.of(Service).create(service(address));
      const slices = client.of(EndpointSlice);
      if (!(await slices.find(key))) await slices.create(slice(address));
    } catch (error) {
      log.warn({ address, error: String(error) }, 'the name server of pods works, but its Service could not be made');
    }
  }
}
