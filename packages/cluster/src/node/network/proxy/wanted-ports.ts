import type { Service, ServicePort } from '@coxswain/k8s';

/** A port that has to be listened at for a Service. */
export interface WantedPort {
  /** `TCP/127.65.0.9:80` */
  readonly id: string;
  readonly protocol: 'TCP' | 'UDP';
  readonly address: string;
  readonly port: number;
  readonly of: ServicePort;
  /** Whether endpoints on a node count; absent: all do. */
  readonly local?: (node: string | undefined) => boolean;
}

/** The nodes of this machine: address by name. */
export type OwnNodes = ReadonlyMap<string, string>;

/** Where clients on this machine, outside of pods, find node ports. */
const machine = '127.0.0.1';

function portAt(address: string, port: number, of: ServicePort, local: WantedPort['local']): WantedPort | undefined {
  const protocol = of.protocol ?? 'TCP';
  if (protocol !== 'TCP' && protocol !== 'UDP') return undefined;
  const id = `${protocol}/${address}:${port}`;
  return { id, protocol, address, port, of, ...(local ? { local } : {}) };
}

/**
 * What to listen at for a Service: its cluster IP, and its node ports on every node of this machine and on 127.0.0.1. Who connects is
 * on this machine, so what is local are the endpoints of all its nodes, and those of one node behind that node's ports.
 */
export function wantedPorts({ spec }: Service, nodes: OwnNodes): readonly WantedPort[] {
  const addresses = (spec?.clusterIPs ?? []).filter((address) => address !== 'None' && !address.includes(':'));
  const ownNode = (node: string | undefined) => node !== undefined && nodes.has(node);
  const inside = spec?.internalTrafficPolicy === 'Local' ? ownNode : undefined;
  const outside = spec?.externalTrafficPolicy === 'Local';
  return (spec?.ports ?? [])
    .flatMap((of) => [
      ...addresses.map((address) => portAt(address, of.port, of, inside)),
      ...(of.nodePort ? nodePorts(of, of.nodePort, nodes, outside ? ownNode : undefined) : []),
    ])
    .filter((port) => port !== undefined);
}

function nodePorts(of: ServicePort, port: number, nodes: OwnNodes, local: WantedPort['local']) {
  const onNode = (name: string) => (local ? (node: string | undefined) => node === name : undefined);
  return [
    portAt(machine, port, of, local),
    ...[...nodes].map(([name, address]) => portAt(address, port, of, onNode(name))),
  ];
}
