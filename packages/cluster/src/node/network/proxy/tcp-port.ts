import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, withTimeout } from '@coxswain/runtime/core';
import type { Place } from '../place.ts';
import type { Balancer } from './balancer.ts';
import type { Connections } from './connections.ts';
import type { ServiceEndpoint } from './endpoints.ts';
import type { ListeningPort, PortAddress } from './listening-port.ts';
import { cut } from './splice.ts';

/** Connects with an endpoint. Rejects with an Error when that fails. */
export type Dial = (endpoint: ServiceEndpoint, signal: AbortSignal) => Promise<Duplex>;

export interface TcpPortOptions extends PortAddress {
  readonly place: Place;
  readonly balancer: Balancer;
  readonly connections: Connections;
  readonly dial: Dial;
  readonly clock: Clock;
}

/** Milliseconds to wait for one endpoint. */
const dialLimit = 5_000;
/** Endpoints to try for one connection. */
const tries = 5;

/** A port over TCP: what connects is joined with an endpoint. Connections outlive the port. */
export class TcpPort implements ListeningPort {
  readonly #options: TcpPortOptions;
  #server: Server | undefined;
  #closed = false;

  constructor(options: TcpPortOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { place, address, port } = this.#options;
    const server = await place.listen(address, port);
    if (this.#closed) return void server.close();
    this.#server = server;
    // What goes wrong from here on is a connection's own failure, such as too many open files.
    server.on('error', () => {}).on('connection', (client: Socket) => void this.#serve(client));
  }

  updated(): void {}

  close(): void {
    this.#closed = true;
    this.#server?.close();
    this.#server = undefined;
  }

  async #serve(client: Socket): Promise<void> {
    const { balancer, connections, dial, clock } = this.#options;
    const gone = new AbortController();
    const leave = () => gone.abort(new Error('the client has left'));
    client.on('error', () => {});
    client.once('close', leave);
    const from = client.remoteAddress ?? '';
    for (const endpoint of balancer.order(from).slice(0, tries)) {
      const beginning = connections.begin(endpoint.address);
      const what = `dial tcp ${endpoint.address}:${endpoint.port}`;
      try {
        const server = await withTimeout(clock, dialLimit, what, (signal) => dial(endpoint, signal), gone.signal);
        balancer.connected(from, endpoint);
        beginning.join(client, server);
        return;
      } catch {
        beginning.failed();
        if (gone.signal.aborted) return;
      }
    }
    cut(client);
  }
}
