import type { RemoteInfo, Socket } from 'node:dgram';
import type { Clock, Timer } from '@coxswain/runtime/core';
import type { Place } from '../place.ts';
import type { Balancer } from './balancer.ts';
import type { ServiceEndpoint } from './endpoints.ts';
import type { ListeningPort, PortAddress } from './listening-port.ts';

export interface UdpPortOptions extends PortAddress {
  readonly place: Place;
  /** Where an endpoint can be reached from. */
  readonly placeOf: (endpoint: ServiceEndpoint) => Place;
  readonly balancer: Balancer;
  readonly clock: Clock;
}

/** What one client and one endpoint say to each other. */
interface Flow {
  readonly endpoint: ServiceEndpoint;
  readonly socket: Promise<Socket>;
  /** When something was last said, on the monotonic clock. */
  used: number;
}

/** Milliseconds without a packet after which a flow is forgotten. */
const idle = 30_000;
/** Clients at a time; of more the oldest are forgotten. */
const most = 4_096;

/** A port over UDP: packets of one client go to one endpoint as long as it is there, and answers come back. */
export class UdpPort implements ListeningPort {
  readonly #options: UdpPortOptions;
  readonly #flows = new Map<string, Flow>();
  #socket: Socket | undefined;
  #sweep: Timer | undefined;
  #closed = false;

  constructor(options: UdpPortOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { place, address, port } = this.#options;
    const socket = await place.bind(address, port);
    if (this.#closed) return void socket.close();
    this.#socket = socket;
    socket.on('error', () => {}).on('message', (packet, from) => this.#packet(packet, from));
  }

  updated(): void {
    const { endpoints } = this.#options.balancer;
    const alive = new Set(endpoints.map(({ address, port }) => `${address}:${port}`));
    for (const [client, { endpoint }] of this.#flows) {
      if (!alive.has(`${endpoint.address}:${endpoint.port}`)) this.#forget(client);
    }
  }

  close(): void {
    this.#closed = true;
    this.#sweep?.cancel();
    for (const client of [...this.#flows.keys()]) this.#forget(client);
    this.#socket?.close();
    this.#socket = undefined;
  }

  #packet(packet: Buffer, from: RemoteInfo): void {
    const client = `${from.address}:${from.port}`;
    const flow = this.#flows.get(client) ?? this.#begin(client, from);
    if (!flow) return;
    flow.used = this.#options.clock.monotonic();
    const { address, port } = flow.endpoint;
    flow.socket.then((socket) => socket.send(packet, port, address, () => {})).catch(() => this.#forget(client));
  }

  #begin(client: string, from: RemoteInfo): Flow | undefined {
    const { balancer, clock, placeOf } = this.#options;
    const [endpoint] = balancer.order(from.address);
    if (!endpoint) return undefined;
    balancer.connected(from.address, endpoint);
    const socket = placeOf(endpoint).bind('0.0.0.0', 0);
    const flow: Flow = { endpoint, socket, used: clock.monotonic() };
    const listen = (opened: Socket) => {
      opened.on('error', () => this.#forget(client));
      opened.on('message', (packet, { address, port }) => {
        if (address !== endpoint.address || port !== endpoint.port) return;
        flow.used = clock.monotonic();
        this.#socket?.send(packet, from.port, from.address, () => {});
      });
    };
    socket.then(listen).catch(() => {});
    this.#flows.set(client, flow);
    const [oldest] = this.#flows.keys();
    if (this.#flows.size > most && oldest !== undefined) this.#forget(oldest);
    this.#sweep ??= clock.after(idle, () => this.#forgetIdle());
    return flow;
  }

  #forgetIdle(): void {
    this.#sweep = undefined;
    const since = this.#options.clock.monotonic() - idle;
    for (const [client, { used }] of this.#flows) if (used <= since) this.#forget(client);
    if (this.#flows.size > 0) this.#sweep = this.#options.clock.after(idle, () => this.#forgetIdle());
  }

  #forget(client: string): void {
    const flow = this.#flows.get(client);
    if (!flow) return;
    this.#flows.delete(client);
    flow.socket.then((socket) => socket.close()).catch(() => {});
  }
}
