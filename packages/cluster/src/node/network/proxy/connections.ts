import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import { cut, splice } from './splice.ts';

/** Milliseconds after which a connection is no young one any more, answered or not. */
const youth = 200;

interface Young {
  readonly address: string;
  readonly since: number;
  grown(): void;
}

/** A connection from the moment an endpoint was chosen for it. */
export interface Beginning {
  /** It is up: bytes go both ways until it ends. */
  join(client: Duplex, server: Duplex): void;
  /** It did not come to be. */
  failed(): void;
}

/** The connections that go through the proxy, and which of them have only just begun. */
export class Connections {
  readonly #clock: Clock;
  readonly #open = new Set<Duplex>();
  readonly #young = new Set<Young>();
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many there are. */
  get size(): number {
    return this.#open.size / 2;
  }

  /** @param address of the endpoint */
  begin(address: string): Beginning {
    const young: Young = { address, since: this.#clock.monotonic(), grown: () => this.#grown(young) };
    this.#young.add(young);
    return {
      join: (client, server) => {
        server.once('data', young.grown);
        this.#open.add(client).add(server);
        void splice(client, server).then(() => {
          this.#open.delete(client);
          this.#open.delete(server);
          young.grown();
        });
      },
      failed: young.grown,
    };
  }

  /** Resolves when every connection with an address that has just begun was answered or has ended; after 200 ms at the latest. */
  async settled(address: string): Promise<void> {
    const now = this.#clock.monotonic();
    const mine = [...this.#young].filter((young) => young.address === address);
    for (const young of mine) if (now - young.since > youth) young.grown();
    if (!this.#isYoung(address)) return;
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(address) ?? new Set();
      this.#waiting.set(address, waiting);
      const done = () => {
        timer.cancel();
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(address);
        resolve();
      };
      const timer = this.#clock.after(youth, done);
      waiting.add(done);
    });
  }

  /** Cuts all of them. */
  close(): void {
    for (const stream of [...this.#open]) cut(stream);
  }

  #isYoung(address: string): boolean {
    return [...this.#young].some((young) => young.address === address);
  }

  #grown(young: Young): void {
    if (!this.#young.delete(young)) return;
    const waiting = this.#waiting.get(young.address);
    if (waiting && !this.#isYoung(young.address)) for (const done of [...waiting]) done();
  }
}
