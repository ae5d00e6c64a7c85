import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import type { StoreEvent } from '../cache/types.ts';
import { keyOf, keyString, type ObjectKey } from '../core/index.ts';
import type { Lane } from '../queue/index.ts';

/** An event that came while a write of ours to the same object was under way: ours, or somebody else's. */
interface Parked {
  readonly version: string | undefined;
  readonly deleted: boolean;
  readonly lane: Lane;
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
  readonly #inFlight = new Map<string, InFlight>();

  /** @param wake puts the key in the queue again */
  constructor(key: string, wake: (lane: Lane) => void) {
    this.key = key;
    this.#wake = wake;
  }

  /** Whether an event of an object is, or may yet prove to be, this work's own doing. */
  claims(kind: Kind, event: StoreEvent<KubeObject>, lane: Lane): boolean {
    if (event.origin === this) return true;
    if (event.origin || this.#inFlight.size === 0) return false;
    const flight = this.#inFlight.get(idOf(kind, keyOf(event.object)));
    if (!flight) return false;
    const version = event.object.metadata.resourceVersion;
    flight.parked = [...flight.parked, { version, deleted: event.type === 'deleted', lane }];
    return true;
  }

  /** A write is about to be sent. Call what it answers when the write has ended. */
  readonly track = (
    target: { readonly kind: Kind; readonly key: ObjectKey } | undefined,
  ): ((ended: { readonly ok: boolean; readonly answer?: KubeObject | undefined }) => void) => {
    if (!target) return () => {};
    const id = idOf(target.kind, target.key);
    const flight = this.#inFlight.get(id) ?? { writes: 0, parked: [] };
    flight.writes++;
    this.#inFlight.set(id, flight);
    return ({ ok, answer }) => {
      const version = answer?.metadata.resourceVersion;
      const ours = (event: Parked) => ok && (answer ? event.version === version : event.deleted);
      flight.parked = flight.parked.filter((event) => !ours(event));
      if (--flight.writes > 0) return;
      this.#inFlight.delete(id);
      for (const { lane } of flight.parked) this.#wake(lane);
    };
  };
}

function idOf(kind: Kind, key: ObjectKey): string {
  return `${resourceName(kind)}/${keyString(key)}`;
}
