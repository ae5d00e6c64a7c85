import type { Clock, Random } from '@coxswain/runtime/core';
import type { ServiceEndpoint } from './endpoints.ts';

const idOf = ({ address, port }: ServiceEndpoint): string => `${address}:${port}`;
/** Clients remembered at most; of more the oldest go. */
const mostClients = 10_000;

/** Which endpoint is next: in turn, from a random one on; with affinity always the same for a client. */
export class Balancer {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #chosen = new Map<string, { readonly id: string; readonly until: number }>();
  #endpoints: readonly ServiceEndpoint[] = [];
  #affinity: number | undefined;
  #next = 0;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  get endpoints(): readonly ServiceEndpoint[] {
    return this.#endpoints;
  }

  /** @param affinity milliseconds for which a client stays with its endpoint; absent: it does not */
  update(endpoints: readonly ServiceEndpoint[], affinity: number | undefined): void {
    if (this.#endpoints.length === 0) this.#next = Math.floor(this.#random.next() * endpoints.length);
    this.#endpoints = endpoints;
    this.#affinity = affinity;
    if (affinity === undefined) this.#chosen.clear();
  }

  /** All endpoints in the order in which a client should try them. */
  order(client: string): readonly ServiceEndpoint[] {
    const { length } = this.#endpoints;
    if (length === 0) return [];
    const start = this.#next++ % length;
    const turned = [...this.#endpoints.slice(start), ...this.#endpoints.slice(0, start)];
    const chosen = this.#chosen.get(client);
    if (!chosen || chosen.until <= this.#clock.monotonic()) return turned;
    const same = turned.filter((endpoint) => idOf(endpoint) === chosen.id);
    return [...same, ...turned.filter((endpoint) => idOf(endpoint) !== chosen.id)];
  }

  /** A client is connected with an endpoint. */
  connected(client: string, endpoint: ServiceEndpoint): void {
    if (this.#affinity === undefined) return;
    this.#chosen.delete(client);
    this.#chosen.set(client, { id: idOf(endpoint), until: this.#clock.monotonic() + this.#affinity });
    const [oldest] = this.#chosen.keys();
    if (this.#chosen.size > mostClients && oldest !== undefined) this.#chosen.delete(oldest);
  }
}
