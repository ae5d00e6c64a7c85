import type { Clock, Logger, Timer } from '@coxswain/runtime/core';
import { HaKeeper } from '../mo/index.ts';
import type { MorpcClient } from '../morpc/index.ts';
import { ClusterLink } from './cluster-link.ts';

/** Milliseconds after its last use for which a cluster is remembered. */
const kept = 30_000;

/** A link for each cluster, by the address of its HAKeeper; what is not used is dropped. */
export class ClusterLinks {
  readonly #client: MorpcClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #links = new Map<string, { readonly link: ClusterLink; used: number }>();
  #sweeper: Timer | undefined;

  constructor(client: MorpcClient, clock: Clock, log: Logger) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  /** The clusters that are remembered. */
  get addresses(): readonly string[] {
    return [...this.#links.keys()];
  }

  /** @param address `host:port` of a cluster's log stores, or of a Service in front of them */
  of(address: string): ClusterLink {
    const used = this.#clock.monotonic();
    const known = this.#links.get(address);
    if (known) {
      known.used = used;
      return known.link;
    }
    const [client, clock, logger] = [this.#client, this.#clock, this.#log];
    const link = new ClusterLink(new HaKeeper({ client, clock, addresses: [address], logger }), clock);
    this.#links.set(address, { link, used });
    this.#sweeper ??= clock.after(kept, () => this.#sweep());
    return link;
  }

  close(): void {
    this.#sweeper?.cancel();
    this.#sweeper = undefined;
    this.#links.clear();
  }

  #sweep(): void {
    const oldest = this.#clock.monotonic() - kept;
    for (const [address, { used }] of this.#links) if (used <= oldest) this.#links.delete(address);
    const next = Math.min(...[...this.#links.values()].map(({ used }) => used)) - oldest;
    this.#sweeper = this.#links.size > 0 ? this.#clock.after(next, () => this.#sweep()) : undefined;
  }
}
