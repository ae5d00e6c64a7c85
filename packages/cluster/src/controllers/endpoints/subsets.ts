import type { EndpointAddress, EndpointPort, EndpointSubset } from '@coxswain/k8s';

interface Placed {
  readonly address: EndpointAddress;
  ready: boolean;
}

const identity = ({ ip, targetRef }: EndpointAddress) => `${ip} ${targetRef?.uid ?? ''}`;
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Each port with the addresses that have it. Where one address is said to be both, it is not ready. */
function byPort(subsets: readonly EndpointSubset[]) {
  const ports = new Map<string, { readonly port: EndpointPort | undefined; readonly placed: Map<string, Placed> }>();
  for (const { ports: own = [], addresses = [], notReadyAddresses = [] } of subsets) {
    for (const port of own.length > 0 ? own : [undefined]) {
      const key = port ? JSON.stringify([port.name ?? '', port.port, port.protocol, port.appProtocol]) : '';
      const entry = ports.get(key) ?? { port, placed: new Map<string, Placed>() };
      ports.set(key, entry);
      for (const [list, ready] of [
        [addresses, true],
        [notReadyAddresses, false],
      ] as const)
        for (const address of list) {
          const known = entry.placed.get(identity(address));
          if (known) known.ready &&= ready;
          else entry.placed.set(identity(address), { address, ready });
        }
    }
  }
  return [...ports.values()];
}

/**
 * Subsets in the form in which they can be compared: addresses with the same ports are together, once each, in the order of their IPs; ports in
 * the order of their names.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const groups = new Map<string, { readonly placed: readonly Placed[]; readonly ports: EndpointPort[] }>();
  for (const { port, placed } of byPort(subsets)) {
    const sorted = [...placed].sort(([a], [b]) => compare(a, b));
    const key = JSON.stringify(sorted.map(([name, { ready }]) => [name, ready]));
    const group = groups.get(key) ?? { placed: sorted.map(([, one]) => one), ports: [] };
    groups.set(key, group);
    if (port) group.ports.push(port);
  }
  return [...groups.values()].map(({ placed, ports }) => {
    const ready = placed.filter((one) => one.ready).map(({ address }) => address);
    const notReady = placed.filter((one) => !one.ready).map(({ address }) => address);
    return {
      ...(ready.length > 0 ? { addresses: ready } : {}),
      ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
      ...(ports.length > 0
        ? { ports: ports.sort((a, b) => compare(a.name ?? '', b.name ?? '') || a.port - b.port) }
        : {}),
    };
  });
}
