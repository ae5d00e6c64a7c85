import type { Duplex } from 'node:stream';
import { Node, Pod, Service } from '@coxswain/k8s';
import type { EventRecorder } from '@coxswain/runtime/events';
import type { Manager } from '@coxswain/runtime/manager';
import type { NodeConnections } from '../../apiserver/index.ts';
import { RuntimeRefusal } from '../runtime.ts';
import type { AddressBlock } from './addresses/block.ts';
import { declaredAddress } from './addresses/declared.ts';
import { PodAddresses } from './addresses/pod-addresses.ts';
import { dialTcp } from './dial.ts';
import { dnsPort, openNameService } from './dns/name-service.ts';
import { ClusterNames } from './dns/names.ts';
import type { DnsServer } from './dns/server.ts';
import { NodePlaces } from './node-places.ts';
import { clusterHosts } from './pod/cluster-hosts.ts';
import { type MachineFiles, machineFiles, PodFiles } from './pod/files.ts';
import type { ServiceEndpoint } from './proxy/endpoints.ts';
import { ServiceProxy } from './proxy/service-proxy.ts';
import type { ServiceDirectory } from './service-directory.ts';
import type { NodePlace, PodAttachment, PodNetwork } from './types.ts';

export interface RunningNetworkOptions {
  readonly manager: Manager;
  readonly block: AddressBlock;
  readonly directory: ServiceDirectory;
  readonly recorder: EventRecorder;
  readonly connections: NodeConnections;
}

/** Where the name server is in the range of Services, as installers of clusters place it. */
const dnsOffset = 10;

interface Parts extends RunningNetworkOptions {
  readonly places: NodePlaces;
  readonly addresses: PodAddresses;
  readonly machine: MachineFiles;
  readonly names: ClusterNames;
  readonly dns: DnsServer | undefined;
}

const refusal = (message: string) => new RuntimeRefusal('FailedCreatePodSandBox', message);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The network while its cluster runs: addresses are given, names answered, Services served. */
export class RunningNetwork implements PodNetwork {
  readonly #parts: Parts;
  readonly #proxy: ServiceProxy;
  readonly #attached = new Map<PodFiles, string>();
  readonly #stopWatching: () => void;
  #hostsDue = false;

  private constructor(parts: Parts) {
    this.#parts = parts;
    const { manager, block, directory, places, dns, recorder } = parts;
    const { clock, random, log } = manager;
    const dnsAddress = block.serviceAddress(dnsOffset);
    this.#proxy = new ServiceProxy({
      directory,
      nodes: places.addresses,
      clock,
      random,
      log,
      dial: (endpoint, signal) => this.#dial(endpoint, signal),
      except: (address, port) => dns !== undefined && address === dnsAddress && port === dnsPort,
      onRefused: (service, message) =>
        recorder.event(Service, service, { type: 'Warning', reason: 'FailedListen', message }),
    });
    this.#proxy.start();
    this.#stopWatching = dns ? () => {} : directory.onChange(() => this.#hostsChanged());
  }

  /** Takes over the addresses that are in use, starts the name server, and serves the Services there are. */
  static async start(options: RunningNetworkOptions): Promise<RunningNetwork> {
    const { manager, block, directory } = options;
    const { client, clock, random, log } = manager;
    const nodes: Node[] = [];
    for await (const node of client.of(Node).listAll()) nodes.push(node);
    const places = new NodePlaces(block, nodes);
    const addresses = new PodAddresses();
    for await (const { metadata, spec, status } of client.of(Pod).listAll()) {
      const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed';
      if (ended || spec?.hostNetwork || !places.podPrefix(spec?.nodeName ?? '')) continue;
      for (const { ip } of status?.podIPs ?? []) addresses.claim(ip, metadata.uid ?? '');
    }
    const machine = await machineFiles();
    const names = new ClusterNames(directory);
    const address = block.serviceAddress(dnsOffset);
    const { resolvConf } = machine;
    const dns = await openNameService({ client, names, address, resolvConf, clock, random, log });
    const network = new RunningNetwork({ ...options, places, addresses, machine, names, dns });
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

  async attach(pod: Pod, directory: string): Promise<PodAttachment> {
    const { addresses, machine, block, dns, recorder } = this.#parts;
    const owner = pod.metadata.uid ?? '';
    const address = this.#addressFor(pod, owner);
    let files: PodFiles;
    try {
      const nameServer = dns && block.serviceAddress(dnsOffset);
      files = new PodFiles({ pod, directory, addresses: [address], machine, nameServer });
      await files.write();
    } catch (error) {
      addresses.release(address, owner);
      throw refusal(`the network files of the pod cannot be made: ${messageOf(error)}`);
    }
    for (const message of files.resolver.omitted)
      recorder.event(Pod, pod, { type: 'Warning', reason: 'DNSConfigForming', message });
    this.#attached.set(files, pod.metadata.namespace ?? '');
    if (!dns) await files.addHosts(this.#hostsFor(pod.metadata.namespace ?? ''));
    return this.#attachment(address, owner, files);
  }

  async close(): Promise<void> {
    this.#stopWatching();
    this.#proxy.close();
    await this.#parts.dns?.close();
  }

  #attachment(address: string, owner: string, files: PodFiles): PodAttachment {
    const { addresses } = this.#parts;
    let undrain: (() => void) | undefined;
    let detached = false;
    return {
      addresses: [address],
      files: files.files,
      hostname: files.hostname,
      dial: (port, signal) => dialTcp(address, port, signal),
      drain: async () => {
        const end = await this.#proxy.drain(address);
        undrain?.();
        undrain = end;
        if (detached) end();
      },
      detach: async () => {
        detached = true;
        undrain?.();
        this.#attached.delete(files);
        addresses.release(address, owner);
      },
    };
  }

  /** @throws RuntimeRefusal */
  #addressFor(pod: Pod, owner: string): string {
    const { places, addresses } = this.#parts;
    const node = pod.spec?.nodeName ?? '';
    if (pod.spec?.hostNetwork) return places.addresses.get(node) ?? places.join(node).address;
    const declared = this.#declared(pod);
    if (declared !== undefined) {
      if (addresses.claim(declared, owner)) return declared;
      throw refusal(
        `address ${declared}, which the pod declares, is in use by another pod: remove that pod, or declare another address`,
      );
    }
    const prefix = places.podPrefix(node);
    if (prefix === undefined) throw refusal(`node ${node} has no addresses for pods: it has not joined the network`);
    const before = pod.status?.podIP;
    if (before?.startsWith(`${prefix}.`) && addresses.claim(before, owner)) return before;
    const address = addresses.take(prefix, owner);
    if (address === undefined) throw refusal(`no free address in ${prefix}.0/24: delete pods of node ${node} first`);
    return address;
  }

  /** @throws RuntimeRefusal */
  #declared(pod: Pod): string | undefined {
    let address: string | undefined;
    try {
      address = declaredAddress(pod);
    } catch (error) {
      throw refusal(messageOf(error));
    }
    if (address === undefined) return undefined;
    if (!address.startsWith('127.')) {
      throw refusal(
        `address ${address}, which the pod declares, is not one of 127.0.0.0/8: on this machine pods can have only those`,
      );
    }
    if (address === '127.0.0.1' || this.#parts.block.reserves(address)) {
      throw refusal(`address ${address}, which the pod declares, is not one for pods: declare another of 127.0.0.0/8`);
    }
    return address;
  }

  async #dial(endpoint: ServiceEndpoint, signal: AbortSignal): Promise<Duplex> {
    const { address, port, pod, node = '' } = endpoint;
    const connection = address.startsWith('127.') ? undefined : this.#parts.connections.get(node);
    if (pod && connection) return connection.dial(pod, port, signal);
    return dialTcp(address, port, signal);
  }

  #hostsFor(namespace: string): string {
    const { directory, names } = this.#parts;
    return clusterHosts(directory.services(), names, namespace);
  }

  /** Writes the hosts files anew, once for all changes that are told of in a row. */
  #hostsChanged(): void {
    if (this.#hostsDue) return;
    this.#hostsDue = true;
    queueMicrotask(() => {
      this.#hostsDue = false;
      for (const [files, namespace] of this.#attached) {
        files.addHosts(this.#hostsFor(namespace)).catch((error: unknown) => {
          this.#parts.manager.log.warn(
            { file: files.files.hosts, error: messageOf(error) },
            'a hosts file is out of date',
          );
        });
      }
    });
  }
}
