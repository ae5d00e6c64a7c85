import type { ContainerPort } from '@coxswain/k8s';

const anyAddress = '0.0.0.0';

/** Ports of a node that pods hold: a port on every address clashes with the same port and protocol on any address. */
export class HostPorts {
  /** Number of holders by `protocol/port`, then by address. */
  readonly #held = new Map<string, Map<string, number>>();

  add(ports: readonly ContainerPort[]): void {
    for (const port of ports) this.#count(port, 1);
  }

  remove(ports: readonly ContainerPort[]): void {
    for (const port of ports) this.#count(port, -1);
  }

  clashes(ports: readonly ContainerPort[]): boolean {
    return ports.some((port) => {
      const held = this.#held.get(portKey(port));
      if (!held) return false;
      const address = port.hostIP || anyAddress;
      return address === anyAddress || held.has(address) || held.has(anyAddress);
    });
  }

  #count(port: ContainerPort, by: 1 | -1): void {
    const key = portKey(port);
    const held = this.#held.get(key) ?? new Map<string, number>();
    this.#held.set(key, held);
    const address = port.hostIP || anyAddress;
    const count = (held.get(address) ?? 0) + by;
    if (count > 0) held.set(address, count);
    else held.delete(address);
    if (held.size === 0) this.#held.delete(key);
  }
}

function portKey({ protocol = 'TCP', hostPort }: ContainerPort): string {
  return `${protocol}/${hostPort}`;
}
