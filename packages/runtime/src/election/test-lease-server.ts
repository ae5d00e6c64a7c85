// An API server that knows leases, and counts the writes it accepts. For models that run very often. Not exported.
import type { Transport, TransportRequest, TransportResponse, WatchEvent } from '../client/index.ts';
import { alreadyExists, conflict, notFound } from '../core/index.ts';
import type { Lease } from './lease.ts';

const leases = { group: 'coordination.k8s.io', plural: 'leases' };

export class LeaseServer implements Pick<Transport, 'send' | 'watch'> {
  /** Told of each write of anything but a lease, when it is accepted. */
  readonly accepted: (request: TransportRequest) => void;
  /** Told of each lease that is stored. */
  readonly stored: (lease: Lease) => void;
  readonly #leases = new Map<string, Lease>();
  readonly #watchers = new Set<(event: WatchEvent) => void>();
  #version = 0;

  constructor(accepted: (request: TransportRequest) => void, stored: (lease: Lease) => void) {
    this.accepted = accepted;
    this.stored = stored;
  }

  lease(name: string): Lease | undefined {
    return this.#leases.get(name);
  }

  deleteLease(name: string): void {
    const object = this.#leases.get(name);
    if (object && this.#leases.delete(name)) this.#tell({ type: 'DELETED', object });
  }

  #tell(event: WatchEvent): void {
    for (const watcher of this.#watchers) watcher(event);
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    return { status: 200, body: this.#serve(request), warnings: [] };
  }

  /** Of the lease that the field selector names: as it is, then each change, until the signal is aborted. */
  async watch({ query, signal }: TransportRequest): Promise<AsyncIterable<readonly WatchEvent[]>> {
    const name = query?.fieldSelector?.replace('metadata.name=', '');
    const stream = new EventQueue(signal);
    const tell = (event: WatchEvent) => {
      if ((event.object as Lease).metadata.name === name) stream.push([event]);
    };
    this.#watchers.add(tell);
    signal?.addEventListener('abort', () => this.#watchers.delete(tell), { once: true });
    for (const object of this.#leases.values()) tell({ type: 'ADDED', object });
    return stream;
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
    const type = this.#leases.has(lease.metadata.name) ? 'MODIFIED' : 'ADDED';
    this.#leases.set(lease.metadata.name, stored);
    this.#tell({ type, object: stored });
    this.stored(stored);
    return stored;
  }
}

/** Batches as they are pushed, until the end or the signal is aborted. */
export class EventQueue implements AsyncIterable<readonly WatchEvent[]> {
  readonly #batches: (readonly WatchEvent[])[] = [];
  readonly #signal: AbortSignal | undefined;
  #ended = false;
  #more = Promise.withResolvers<void>();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', () => this.#more.resolve(), { once: true });
  }

  push(batch: readonly WatchEvent[]): void {
    this.#batches.push(batch);
    this.#more.resolve();
  }

  end(): void {
    this.#ended = true;
    this.#more.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly WatchEvent[]> {
    while (!this.#signal?.aborted && !this.#ended) {
      const batch = this.#batches.shift();
      if (batch) yield batch;
      else {
        this.#more = Promise.withResolvers<void>();
        await this.#more.promise;
      }
    }
  }
}
