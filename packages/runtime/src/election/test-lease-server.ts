// An API server that knows leases, and counts the writes it accepts. For models that run very often. Not exported.
import type { Transport, TransportRequest, TransportResponse } from '../client/index.ts';
import { alreadyExists, conflict, notFound } from '../core/index.ts';
import type { Lease } from './lease.ts';

const leases = { group: 'coordination.k8s.io', plural: 'leases' };

export class LeaseServer implements Pick<Transport, 'send' | 'watch'> {
  /** Told of each write of anything but a lease, when it is accepted. */
  readonly accepted: (request: TransportRequest) => void;
  /** Told of each lease that is stored. */
  readonly stored: (lease: Lease) => void;
  readonly #leases = new Map<string, Lease>();
  #version = 0;

  constructor(accepted: (request: TransportRequest) => void, stored: (lease: Lease) => void) {
    this.accepted = accepted;
    this.stored = stored;
  }

  lease(name: string): Lease | undefined {
    return this.#leases.get(name);
  }

  deleteLease(name: string): void {
    this.#leases.delete(name);
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    return { status: 200, body: this.#serve(request), warnings: [] };
  }

  async watch(): Promise<never> {
    throw notFound(leases, 'watch');
  }

  #serve(request: TransportRequest): unknown {
    const { method, path, body } = request;
    if (!path.includes('/leases')) {
      this.accepted(request);
      return body;
    }
    if (method === 'POST') {
      const lease = body as Lease;
      if (this.#leases.has(lease.metadata.name)) throw alreadyExists(leases, lease.metadata.name);
      return this.#store(lease);
    }
    const name = path.slice(path.lastIndexOf('/') + 1);
    const old = this.#leases.get(name);
    if (!old) throw notFound(leases, name);
    if (method === 'GET') return old;
    const lease = body as Lease;
    if (lease.metadata.resourceVersion !== old.metadata.resourceVersion) throw conflict(leases, name, 'it was changed');
    return this.#store(lease);
  }

  #store(lease: Lease): Lease {
    const stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version) } };
    this.#leases.set(lease.metadata.name, stored);
    this.stored(stored);
    return stored;
  }
}
