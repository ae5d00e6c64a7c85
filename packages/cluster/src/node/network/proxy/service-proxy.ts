import type { Service } from '@coxswain/k8s';
import {
  type Clock,
  keyOf,
  keyString,
  type Logger,
  type ObjectKey,
  type Random,
  type Timer,
} from '@coxswain/runtime/core';
import { machine, type Place } from '../place.ts';
import type { ServiceDirectory } from '../service-directory.ts';
import { Balancer } from './balancer.ts';
import { Connections } from './connections.ts';
import { type ServiceEndpoint, usableEndpoints } from './endpoints.ts';
import type { ListeningPort } from './listening-port.ts';
import { type Dial, TcpPort } from './tcp-port.ts';
import { UdpPort } from './udp-port.ts';
import { type OwnNodes, type WantedPort, wantedPorts } from './wanted-ports.ts';

export interface ServiceProxyOptions {
  readonly directory: ServiceDirectory;
  readonly nodes: OwnNodes;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly dial: Dial;
  /** Where packets for an endpoint are sent from. */
  readonly placeOf: (endpoint: ServiceEndpoint) => Place;
  /** Ports that somebody else listens at in a place. */
  readonly except: (place: Place, address: string, port: number) => boolean;
  /** Told when a port of a Service cannot be listened at, once for each reason. */
  readonly onRefused: (service: Service, message: string) => void;
}

interface OpenPort {
  readonly balancer: Balancer;
  readonly port: ListeningPort;
  /** Once it listens; false when it cannot. */
  readonly opened: Promise<boolean>;
}

/** Milliseconds until a port that was taken is tried again. */
const retryAfter = 5_000;

/**
 * Listens at the addresses of Services and joins what connects with an endpoint. A port without endpoints is not listened at, so that
 * clients are refused at once. Changes are followed as the watches tell of them; connections go on until they end.
 */
export class ServiceProxy {
  readonly #options: ServiceProxyOptions;
  readonly #connections: Connections;
  readonly #places = new Set<Place>([machine]);
  /** Of each Service by its key, what is listened at by the id of the port. */
  readonly #services = new Map<string, Map<string, OpenPort>>();
  /** Addresses of pods that are about to stop, and how often that was said. */
  readonly #draining = new Map<string, number>();
  readonly #refusals = new Map<string, string>();
  readonly #retries = new Map<string, Timer>();
  #end: (() => void) | undefined;

  constructor(options: ServiceProxyOptions) {
    this.#options = options;
    this.#connections = new Connections(options.clock);
  }

  start(): void {
    this.#end = this.#options.directory.onChange((key) => this.#sync(key));
  }

  /** Resolves when all that is to be listened at is. */
  async opened(): Promise<void> {
    await Promise.all([...this.#services.values()].flatMap((ports) => [...ports.values()]).map(({ opened }) => opened));
  }

  /** Listens in one more place. Resolves when all that is to be listened at there is. */
  async addPlace(place: Place): Promise<void> {
    this.#places.add(place);
    this.nodesChanged();
    await this.opened();
  }

  /** A place has gone, and all that listened there with it. */
  removePlace(place: Place): void {
    this.#places.delete(place);
    this.nodesChanged();
  }

  /** There are other nodes now. */
  nodesChanged(): void {
    for (const service of this.#options.directory.services()) this.#sync(keyOf(service));
  }

  /** Gives an address no new connections where there are others, until what is answered is called. Resolves when those just begun are answered. */
  async drain(address: string): Promise<() => void> {
    this.#draining.set(address, (this.#draining.get(address) ?? 0) + 1);
    this.#syncAt(address);
    await this.#connections.settled(address);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const left = (this.#draining.get(address) ?? 1) - 1;
      if (left > 0) this.#draining.set(address, left);
      else this.#draining.delete(address);
      this.#syncAt(address);
    };
  }

  close(): void {
    this.#end?.();
    for (const timer of this.#retries.values()) timer.cancel();
    for (const ports of this.#services.values()) for (const { port } of ports.values()) port.close();
    this.#services.clear();
    this.#connections.close();
  }

  #syncAt(address: string): void {
    for (const { metadata } of this.#options.directory.slicesAt(address)) {
      const name = metadata.labels?.['kubernetes.io/service-name'];
      if (name !== undefined && this.#end) this.#sync({ namespace: metadata.namespace ?? '', name });
    }
  }

  #sync(key: ObjectKey): void {
    const { directory } = this.#options;
    const id = keyString(key);
    this.#retries.get(id)?.cancel();
    this.#retries.delete(id);
    const open = this.#services.get(id) ?? new Map<string, OpenPort>();
    const service = directory.service(key);
    const kept = new Set<string>();
    for (const place of service ? this.#places : []) {
      for (const port of service ? this.#wanted(service, place) : []) {
        const portId = `${place.name} ${port.id}`;
        if (service && this.#update(service, { ...port, id: portId }, place, open)) kept.add(portId);
      }
    }
    for (const [portId, { port }] of open) {
      if (kept.has(portId)) continue;
      open.delete(portId);
      port.close();
    }
    if (open.size > 0) this.#services.set(id, open);
    else this.#services.delete(id);
    if (!service) this.#refusals.delete(id);
  }

  #wanted(service: Service, place: Place): readonly WantedPort[] {
    const { nodes, except } = this.#options;
    return wantedPorts(service, nodes).filter(
      // 127.0.0.1 is another one in each place, and node ports are at that of the machine.
      ({ address, port }) => (place === machine || address !== '127.0.0.1') && !except(place, address, port),
    );
  }

  /** Brings one port to what it should be; false when it should not be listened at. */
  #update(service: Service, wanted: WantedPort, place: Place, open: Map<string, OpenPort>): boolean {
    const { directory, clock, random } = this.#options;
    const slices = directory.slices(keyOf(service));
    const all = usableEndpoints(wanted.of, slices, wanted.local);
    const staying = all.filter(({ address }) => !this.#draining.has(address));
    const endpoints = staying.length > 0 ? staying : all;
    if (endpoints.length === 0) return false;
    const { sessionAffinity, sessionAffinityConfig } = service.spec ?? {};
    const seconds = sessionAffinity === 'ClientIP' ? (sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) : 0;
    const balancer = open.get(wanted.id)?.balancer ?? new Balancer(clock, random);
    balancer.update(endpoints, seconds > 0 ? seconds * 1_000 : undefined);
    const present = open.get(wanted.id);
    if (present) present.port.updated();
    else open.set(wanted.id, this.#open(service, wanted, place, balancer));
    return true;
  }

  #open(service: Service, wanted: WantedPort, place: Place, balancer: Balancer): OpenPort {
    const { clock, dial, placeOf } = this.#options;
    const { address, port: number, protocol } = wanted;
    const port =
      protocol === 'TCP'
        ? new TcpPort({ place, address, port: number, balancer, connections: this.#connections, dial, clock })
        : new UdpPort({ place, placeOf, address, port: number, balancer, clock });
    const opened = port.open().then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        const ports = this.#services.get(keyString(keyOf(service)));
        if (ports?.get(wanted.id)?.port === port) ports.delete(wanted.id);
        this.#refused(service, wanted, error);
        return false;
      },
    );
    return { balancer, port, opened };
  }

  #refused(service: Service, { id: portId, address, port, protocol }: WantedPort, error: NodeJS.ErrnoException): void {
    const key = keyOf(service);
    const id = keyString(key);
    const why =
      error.code === 'EACCES'
        ? `this user may not listen at ports below 1024: give the Service a higher port, or lower net.ipv4.ip_unprivileged_port_start`
        : error.code === 'EADDRINUSE'
          ? 'another program on this machine listens there; it is tried again until that ends'
          : error.message;
    const message = `cannot listen at ${address}:${port}/${protocol}: ${why}`;
    if (this.#refusals.get(id) !== message) {
      this.#refusals.set(id, message);
      this.#options.log.warn({ service: id, port: portId, error: error.message }, 'a port of a Service is not served');
      this.#options.onRefused(service, message);
    }
    if (error.code === 'EADDRINUSE' && this.#end) {
      this.#retries.get(id)?.cancel();
      this.#retries.set(
        id,
        this.#options.clock.after(retryAfter, () => this.#sync(key)),
      );
    }
  }
}
