import type { Storage } from '../../../storage/types.ts';
import { listAt, numberAt, objectAt, objectsAt, type ReadJson } from '../shared/draft.ts';

/** Range of service addresses, 10.96.0.0/16, as a number and a count. */
const base = (10 << 24) | (96 << 16);
const size = 65536;
/** The lower addresses are left to those who choose their own. */
const firstDynamic = 256;
export const addressRange = '10.96.0.0/16';
export const lowestNodePort = 30000;
export const highestNodePort = 32767;

function textOf(offset: number): string {
  const value = base + offset;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}

/** Offset of an address in the range, or `undefined` when it is outside (or no IPv4 address). */
export function offsetOf(address: string): number | undefined {
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  return a === 10 && b === 96 ? c * 256 + d : undefined;
}

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
  readonly #addresses = new Set<string>();
  readonly #ports = new Set<number>();
  #nextAddress = firstDynamic;
  #nextPort = lowestNodePort;

  constructor(storage: Storage) {
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
    for (let tries = 0; tries < size - firstDynamic - 1; tries++) {
      const address = textOf(this.#nextAddress++);
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
