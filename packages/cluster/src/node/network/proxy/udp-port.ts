import type { RemoteInfo, Socket } from 'node:dgram';
import type { Clock, Timer } from '@coxswain/runtime/core';
import { dgram } from '../../../late-modules.ts';
import type { Balancer } from './balancer.ts';
import type { ServiceEndpoint } from './endpoints.ts';
import type { ListeningPort, PortAddress } from './listening-port.ts';

export interface UdpPortOptions extends PortAddress {
  readonly balancer: Balancer;
  readonly clock: Clock;
}

/** What one client and one endpoint say to each other. */
interface Flow {
  readonly endpoint: ServiceEndpoint;
  readonly socket: Socket;
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

  constructor(options: UdpPortOptions) {
    this.#options = options;
  }

  open(): Promise<void> {
    const { address, port } = this.#options;
    const socket = dgram().createSocket('udp4');
    this.#socket = socket;
    socket.on('message', (packet, from) => this.#packet(packet, from));
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address, port, exclusive: true }, () => {
        socket.off('error', reject).on('error', () => {});
        resolve();
      });
    });
  }

  updated(): void {
    const { endpoints } = this.#options.balancer;
    const alive = new Set(endpoints.map(({ address, port }) => `${address}:${port}`));
    for (const [client, { endpoint }] of this.#flows) {
      if (!alive.has(`${endpoint.address}:${endpoint.port}`)) this.#forget(client);
    }
  }

  close(): void {
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
    flow.socket.send(packet, flow.endpoint.port, flow.endpoint.address, () => {});
  }

  #begin(client: string, from: RemoteInfo): Flow | undefined {
    const { balancer, clock } = this.#options;
    const [endpoint] = balancer.order(from.address);
    if (!endpoint) return undefined;
    balancer.connected(from.address, endpoint);
    const socket = dgram().createSocket('udp4');
    const flow: Flow = { endpoint, socket, used: clock.monotonic() };
    socket.on('error', () => this.#forget(client));
    socket.on('message', (packet, { address, port }) => {
      if (address !== endpoint.address || port !== endpoint.port) return;
      flow.used = clock.monotonic();
      this.#socket?.send(packet, from.port, from.address, () => {});
    });
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
    flow.socket.close();
  }
}
