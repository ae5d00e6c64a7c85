import type { Storage } from '../../../storage/types.ts';
import { listAt, numberAt, objectAt, objectsAt, type ReadJson } from '../shared/draft.ts';
import { type AddressRange, serviceRangeOf } from './address-range.ts';

export const lowestNodePort = 30000;
export const highestNodePort = 32767;

function addressesOf(service: ReadJson): readonly string[] {
  return listAt(objectAt(service, 'spec'), 'clusterIPs').map(String);
}

function nodePortsOf(service: ReadJson): readonly number[] {
  const spec = objectAt(service, 'spec');
  const ports = objectsAt(spec, 'ports').map((port) => numberAt(port, 'nodePort') ?? 0);
  return [...new Set([...ports, numberAt(spec, 'healthCheckNodePort') ?? 0])].filter((port) => port !== 0);
}

/**
 * Addresses and node ports in use, kept in step with storage. Choices go round the range, so that two services made at the
 * same time get different ones although neither is stored yet.
 */
export class ServiceAllocator {
  /** Where addresses are from. */
  readonly range: AddressRange;
  readonly #addresses = new Set<string>();
  readonly #ports = new Set<number>();
  #nextAddress: number;
  #nextPort = lowestNodePort;

  constructor(storage: Storage) {
    this.range = serviceRangeOf(storage);
    this.#nextAddress = this.range.firstDynamic;
    const { objects, revision } = storage.list('/services');
    for (const service of objects) this.#add(service);
    storage.subscribe('/services', revision, ({ type, object, previous }) => {
      if (previous) this.#remove(previous);
      if (type === 'deleted') this.#remove(object);
      else this.#add(object);
    });
  }

  hasAddress(address: string): boolean {
    return this.#addresses.has(address);
  }

  hasPort(port: number): boolean {
    return this.#ports.has(port);
  }

  /** A free address; `undefined` when there is none. */
  takeAddress(): string | undefined {
    const { size, firstDynamic } = this.range;
    for (let tries = 0; tries < size - firstDynamic - 1; tries++) {
      const address = this.range.addressAt(this.#nextAddress++);
      if (this.#nextAddress >= size - 1) this.#nextAddress = firstDynamic;
      if (!this.#addresses.has(address)) return address;
    }
    return undefined;
  }

  /** A free node port; `undefined` when there is none. */
  takePort(): number | undefined {
    for (let tries = lowestNodePort; tries <= highestNodePort; tries++) {
      const port = this.#nextPort++;
      if (this.#nextPort > highestNodePort) this.#nextPort = lowestNodePort;
      if (!this.#ports.has(port)) return port;
    }
    return undefined;
  }

  #add(service: object): void {
    for (const address of addressesOf(service as ReadJson)) if (address !== 'None') this.#addresses.add(address);
    for (const port of nodePortsOf(service as ReadJson)) this.#ports.add(port);
  }

  #remove(service: object): void {
    for (const address of addressesOf(service as ReadJson)) this.#addresses.delete(address);
    for (const port of nodePortsOf(service as ReadJson)) this.#ports.delete(port);
  }
}

const allocators = new WeakMap<Storage, ServiceAllocator>();

/** The one allocator of a storage. */
export function allocatorOf(storage: Storage): ServiceAllocator {
  let allocator = allocators.get(storage);
  if (!allocator) {
    allocator = new ServiceAllocator(storage);
    allocators.set(storage, allocator);
  }
  return allocator;
}
