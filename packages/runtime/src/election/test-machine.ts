// A machine for tests: its own clocks, and code that can be frozen, suspended or killed. Not exported.
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  type WatchEvent,
} from '../client/index.ts';
import type { Clock, Timer, VirtualClock } from '../core/index.ts';
import { EventQueue } from './test-lease-server.ts';

export interface MachineOptions {
  /** How fast its clocks run: 1.01 is one per cent too fast. */
  readonly rate?: number;
  /** Milliseconds by which its wall clock is wrong. */
  readonly skew?: number;
}

/** One process on a machine of its own. Nothing in it runs while it is paused; what it sent before travels on. */
export class Machine {
  readonly clock: Clock;
  readonly #world: VirtualClock;
  readonly #rate: number;
  #skew: number;
  /** World time that its monotonic clock has missed. */
  #missed = 0;
  #suspended: number | undefined;
  #waiting: (() => void)[] | undefined;
  #dead = false;

  constructor(world: VirtualClock, { rate = 1, skew = 0 }: MachineOptions = {}) {
    this.#world = world;
    this.#rate = rate;
    this.#skew = skew;
    this.clock = {
      now: () => world.now() * rate + this.#skew,
      monotonic: () => this.#monotonic(),
      turn: () => undefined,
      after: (ms, fire) => this.#after(ms, fire),
    };
  }

  get alive(): boolean {
    return !this.#dead;
  }

  /** Its code stands still, its clocks go on: SIGSTOP, a long garbage collection, a blocked event loop. */
  freeze(ms: number): void {
    if (this.#waiting || this.#dead) return;
    this.#waiting = [];
    this.#world.after(ms, () => {
      if (this.#suspended !== undefined) this.#missed += this.#world.monotonic() - this.#suspended;
      this.#suspended = undefined;
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const run of waiting) this.whenAwake(run);
    });
  }

  /** As `freeze`, and the monotonic clock stands still too: a virtual machine that is paused or moved. */
  suspend(ms: number): void {
    if (this.#waiting || this.#dead) return;
    this.#suspended = this.#world.monotonic();
    this.freeze(ms);
  }

  /** Nothing in it runs any more. */
  kill(): void {
    this.#dead = true;
  }

  /** Puts its wall clock on, or back. */
  jump(ms: number): void {
    this.#skew += ms;
  }

  whenAwake(run: () => void): void {
    if (this.#dead) return;
    if (this.#waiting) this.#waiting.push(run);
    else run();
  }

  /**
   * Its way to a server. A request that was sent arrives although its sender is paused, gave up or died; the answer waits
   * until the sender runs. `travel` gives the milliseconds of each way, `undefined` when the message is lost.
   */
  network(server: Pick<Transport, 'send' | 'watch'>, travel: Travel): Transport {
    return {
      send: (request) => this.#send(server, travel, request),
      watch: (request) => this.#watch(server, travel, request),
      close: async () => {},
    };
  }

  async #send(server: Pick<Transport, 'send'>, travel: Travel, request: TransportRequest): Promise<TransportResponse> {
    const there = travel('there', request);
    if (there === undefined) throw new ConnectionError('unreachable');
    const { signal: _gaveUp, ...sent } = request;
    const arrived = Promise.withResolvers<TransportResponse>();
    this.#world.after(there, () => {
      server.send(sent).then(arrived.resolve, arrived.reject);
    });
    const outcome = await arrived.promise.then(
      (answer) => () => answer,
      (error: unknown) => () => {
        throw error;
      },
    );
    const back = travel('back', request);
    if (back === undefined) return new Promise(() => {});
    await this.#travelled(back);
    return outcome();
  }

  /** Each event travels by itself: it may come late, behind those that were sent after it, or not at all. */
  async #watch(
    server: Pick<Transport, 'watch'>,
    travel: Travel,
    request: TransportRequest,
  ): Promise<AsyncIterable<readonly WatchEvent[]>> {
    const there = travel('there', request);
    if (there === undefined) throw new ConnectionError('unreachable');
    await this.#travelled(there);
    const arriving = new EventQueue(request.signal);
    const stream = await server.watch(request);
    void (async () => {
      for await (const batch of stream) {
        const back = travel('back', request);
        if (back !== undefined) void this.#travelled(back).then(() => arriving.push(batch));
      }
      arriving.end();
    })();
    return arriving;
  }

  #travelled(ms: number): Promise<void> {
    return new Promise((resolve) => this.#world.after(ms, () => this.whenAwake(resolve)));
  }

  #monotonic(): number {
    return ((this.#suspended ?? this.#world.monotonic()) - this.#missed) * this.#rate;
  }

  #after(ms: number, fire: () => void): Timer {
    const due = this.#monotonic() + ms;
    let timer: Timer | undefined;
    let cancelled = false;
    const ring = () => {
      if (cancelled) return;
      // Suspended meanwhile: by its own clock it is not time yet.
      if (this.#monotonic() < due - 1e-3) arm();
      else fire();
    };
    const arm = () => {
      timer = this.#world.after((due - this.#monotonic()) / this.#rate, () => this.whenAwake(ring));
    };
    arm();
    return {
      cancel() {
        cancelled = true;
        timer?.cancel();
      },
    };
  }
}

export type Travel = (way: 'there' | 'back', request: TransportRequest) => number | undefined;
