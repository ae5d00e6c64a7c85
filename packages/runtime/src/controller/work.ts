import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import type { StoreEvent } from '../cache/types.ts';
import { type Clock, keyOf, keyString } from '../core/index.ts';
import type { WriteReport, WriteTarget } from '../election/index.ts';
import type { Lane } from '../queue/index.ts';

/** An event that came while a write of ours to the same object was under way: ours, or somebody else's. */
interface Parked {
  readonly event: StoreEvent<KubeObject>;
  readonly lane: Lane;
}

/** A call of the client that has not ended. */
interface Call {
  readonly what: string;
  readonly since: number;
}

interface InFlight {
  writes: number;
  parked: readonly Parked[];
}

/**
 * The work on one key, and which events it caused itself: a key that was told of its own writes would only find nothing
 * to do. The store marks them when the answer comes before the watch tells; when the watch is faster, the event is held
 * until the answer shows whose it was. Nothing of others is lost.
 */
export class Work {
  readonly key: string;
  readonly #wake: (lane: Lane) => void;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #inFlight = new Map<string, InFlight>();
  readonly #calls = new Set<Call>();
  readonly #ended = Promise.withResolvers<void>();

  /** @param wake puts the key in the queue again */
  constructor(key: string, clock: Pick<Clock, 'monotonic'>, wake: (lane: Lane) => void) {
    this.key = key;
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Resolves when the work is over. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  end(): void {
    this.#ended.resolve();
  }

  /** Whether an event of an object is, or may yet prove to be, this work's own doing. */
  claims(kind: Kind, event: StoreEvent<KubeObject>, lane: Lane): boolean {
    if (event.origin === this) return true;
    if (event.origin || this.#inFlight.size === 0) return false;
    const flight = this.#inFlight.get(idOf(kind, keyOf(event.object)));
    if (!flight) return false;
    flight.parked = [...flight.parked, { event, lane }];
    return true;
  }

  /** A call begins. Call what it answers when the call has ended. */
  readonly began = (what: string): (() => void) => {
    const call = { what, since: this.#clock.monotonic() };
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  };

  /** What it waits for: the calls under way, the oldest first. */
  get waitingFor(): string {
    const now = this.#clock.monotonic();
    const calls = [...this.#calls].map(({ what, since }) => `${what} (since ${(now - since) / 1000}s)`);
    return calls.length > 0 ? calls.join(', ') : 'something other than a call of its client';
  }

  /** A write is about to be sent. Call what it answers when the write has ended. */
  readonly track = (target: WriteTarget | undefined): WriteReport => {
    if (!target) return () => {};
    const id = idOf(target.kind, target.key);
    const flight = this.#inFlight.get(id) ?? { writes: 0, parked: [] };
    flight.writes++;
    this.#inFlight.set(id, flight);
    return ({ ok, answer }) => {
      if (ok) flight.parked = flight.parked.filter(({ event }) => !isDoingOf(target, event, answer));
      if (--flight.writes > 0) return;
      this.#inFlight.delete(id);
      for (const { lane } of flight.parked) this.#wake(lane);
    };
  };
}

/** Whether an event tells of what a write, which was answered so, did. */
function isDoingOf({ isOurs }: WriteTarget, event: StoreEvent<KubeObject>, answer: KubeObject | undefined): boolean {
  if (!answer) return event.type === 'deleted';
  if (event.object.metadata.resourceVersion !== answer.metadata.resourceVersion) return false;
  // The answer of a write that ended an object is its last state.
  return event.type === 'deleted' || isOurs(event.type === 'updated' ? event.previous : undefined, answer);
}

function idOf(kind: Kind, key: WriteTarget['key']): string {
  return `${resourceName(kind)}/${keyString(key)}`;
}
