import type { Duplex } from 'node:stream';
import { Node, Pod, Service } from '@coxswain/k8s';
import type { EventRecorder } from '@coxswain/runtime/events';
import type { Manager } from '@coxswain/runtime/manager';
import type { NodeConnections } from '../../apiserver/index.ts';
import { tryAll } from '../../try-all.ts';
import { RuntimeRefusal } from '../runtime.ts';
import { type Assignment, assignAddress } from './addresses/assignment.ts';
import type { AddressBlock } from './addresses/block.ts';
import { PodAddresses } from './addresses/pod-addresses.ts';
import type { PodRange } from './addresses/pod-range.ts';
import { dialTcp } from './dial.ts';
import { NameService } from './dns/name-service.ts';
import { ClusterNames } from './dns/names.ts';
import { NamespacePods } from './namespaces/namespace-pods.ts';
import { NodePlaces } from './node-places.ts';
import { machine, type Place } from './place.ts';
import { type MachineFiles, machineFiles, PodFiles } from './pod/files.ts';
import { HostsFiles } from './pod/hosts-files.ts';
import type { ServiceEndpoint } from './proxy/endpoints.ts';
import { ServiceProxy } from './proxy/service-proxy.ts';
import type { ServiceDirectory } from './service-directory.ts';
import type { NodePlace, PodAttachment, PodNamespaces, PodNetwork } from './types.ts';

export interface RunningNetworkOptions {
  readonly manager: Manager;
  readonly block: AddressBlock;
  readonly directory: ServiceDirectory;
  readonly recorder: EventRecorder;
  readonly connections: NodeConnections;
  /** Where pods have their addresses, each in a namespace; absent: in the block. */
  readonly range?: PodRange;
}

/** Where the name server is in the range of Services, as installers of clusters place it. */
const dnsOffset = 10;

interface Parts extends RunningNetworkOptions {
  readonly places: NodePlaces;
  readonly addresses: PodAddresses;
  readonly machineFiles: MachineFiles;
  readonly hosts: HostsFiles;
  readonly dns: NameService;
}

/** How one pod is reached, and what has to be undone. */
interface Link {
  readonly namespaces?: PodNamespaces;
  readonly place: Place;
  dial(port: number, signal: AbortSignal): Promise<Duplex>;
  remove(): Promise<void>;
}

/** The network while its cluster runs: addresses are given, names answered, Services served. */
export class RunningNetwork implements PodNetwork {
  readonly #parts: Parts;
  readonly #proxy: ServiceProxy;
  readonly #namespacePods: NamespacePods;

  private constructor(parts: Parts) {
    this.#parts = parts;
    const { manager, directory, places, dns, recorder } = parts;
    const { clock, random, log } = manager;
    this.#namespacePods = new NamespacePods({
      clock,
      log,
      join: async (place) => {
        await dns.openIn(place);
        await this.#proxy.addPlace(place);
      },
      leave: async (place) => {
        this.#proxy.removePlace(place);
        await dns.closeIn(place);
      },
    });
    this.#proxy = new ServiceProxy({
      directory,
      nodes: places.addresses,
      clock,
      random,
      log,
      dial: (endpoint, signal) => this.#dial(endpoint, signal),
      placeOf: ({ address }) => this.#namespacePods.placeOf(address) ?? machine,
      except: (place, address, port) => dns.listensAt(place, address, port),
      onRefused: (service, message) =>
        recorder.event(Service, service, { type: 'Warning', reason: 'FailedListen', message }),
    });
    this.#proxy.start();
  }

  /** Takes over the addresses that are in use, starts the name server, and serves the Services there are. */
  static async start(options: RunningNetworkOptions): Promise<RunningNetwork> {
    const { manager, block, directory, range } = options;
    const { client, clock, random, log } = manager;
    const nodes: Node[] = [];
    for await (const node of client.of(Node).listAll()) nodes.push(node);
    const places = new NodePlaces(block, nodes, range);
    const addresses = new PodAddresses();
    for await (const { metadata, spec, status } of client.of(Pod).listAll()) {
      const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed';
      if (ended || spec?.hostNetwork || !places.podPrefix(spec?.nodeName ?? '')) continue;
      for (const { ip } of status?.podIPs ?? []) addresses.claim(ip, metadata.uid ?? '');
    }
    const files = await machineFiles();
    const names = new ClusterNames(directory);
    const address = block.serviceAddress(dnsOffset);
    const { resolvConf } = files;
    const dns = await NameService.open({ client, names, address, resolvConf, clock, random, log });
    const hosts = new HostsFiles({ directory, names, log });
    const network = new RunningNetwork({ ...options, places, addresses, machineFiles: files, hosts, dns });
    await network.#proxy.opened();
    return network;
  }

  async joinNode(node: string): Promise<NodePlace> {
    const place = this.#parts.places.join(node);
    this.#proxy.nodesChanged();
    await this.#proxy.opened();
    return place;
  }

  leaveNode(node: string): void {
    this.#parts.places.leave(node);
    this.#proxy.nodesChanged();
  }

  async prepare(user?: string): Promise<void> {
    if (this.#parts.range) await this.#namespacePods.open(user);
  }

  async attach(pod: Pod, directory: string, user?: string): Promise<PodAttachment> {
    const assignment = assignAddress(pod, this.#parts);
    let link: Link | undefined;
    try {
      link = await this.#link(assignment, user);
      const files = await this.#files(pod, directory, assignment.address, link.place);
      return this.#attachment(assignment, link, files);
    } catch (error) {
      // What cannot be undone now is when the address is given to a pod again, and ends with the network at the latest.
      await link?.remove().catch((undone: unknown) => {
        this.#parts.manager.log.warn(
          { address: assignment.address, error: undone },
          'the network of a pod is left over',
        );
      });
      assignment.release();
      const why = error instanceof Error ? error.message : String(error);
      throw new RuntimeRefusal('FailedCreatePodSandBox', why);
    }
  }

  async close(): Promise<void> {
    const { hosts, dns } = this.#parts;
    await tryAll([
      async () => hosts.close(),
      async () => this.#proxy.close(),
      () => dns.close(),
      () => this.#namespacePods.close(),
    ]);
  }

  #attachment({ address, release }: Assignment, link: Link, files: PodFiles): PodAttachment {
    const { hosts } = this.#parts;
    let undrain: (() => void) | undefined;
    let leaving = false;
    let detached = false;
    return {
      addresses: [address],
      files: files.files,
      hostname: files.hostname,
      ...(link.namespaces ? { namespaces: link.namespaces } : {}),
      dial: link.dial,
      drain: async () => {
        const end = await this.#proxy.drain(address);
        undrain?.();
        undrain = end;
        if (leaving) end();
      },
      detach: async () => {
        if (detached) return;
        leaving = true;
        undrain?.();
        hosts.remove(files);
        await link.remove();
        detached = true;
        release();
      },
    };
  }

  async #link({ address, outside }: Assignment, user: string | undefined): Promise<Link> {
    if (outside) {
      return this.#namespacePods.add(address, user).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`address ${address} is not one of 127.0.0.0/8, and so takes a network namespace: ${why}`);
      });
    }
    return { place: machine, dial: (port, signal) => dialTcp(address, port, signal), remove: async () => {} };
  }

  async #files(pod: Pod, directory: string, address: string, place: Place): Promise<PodFiles> {
    const { dns, hosts, recorder, machineFiles: files } = this.#parts;
    const nameServer = dns.addressIn(place);
    // Name servers of the machine cannot be reached from elsewhere; that of the cluster asks them.
    const servers = place === machine ? undefined : nameServer;
    const made = new PodFiles({ pod, directory, addresses: [address], machine: files, nameServer, servers });
    await made.write();
    for (const message of made.resolver.omitted)
      recorder.event(Pod, pod, { type: 'Warning', reason: 'DNSConfigForming', message });
    if (nameServer === undefined) await hosts.add(made, pod.metadata.namespace ?? '');
    return made;
  }

  async #dial(endpoint: ServiceEndpoint, signal: AbortSignal): Promise<Duplex> {
    const { address, port, pod, node = '' } = endpoint;
    const own = this.#namespacePods.dial(address, port, signal);
    if (own) return own;
    const connection = address.startsWith('127.') ? undefined : this.#parts.connections.get(node);
    if (pod && connection) return connection.dial(pod, port, signal);
    return dialTcp(address, port, signal);
  }
}
