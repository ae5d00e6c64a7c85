import type { Logger } from '@coxswain/runtime/core';
import type { StorageEvent, StorageKey, StorageScope, StorageSubscription } from './types.ts';

interface Subscriber {
  /** Revision of the last event it got, or started from. */
  seen: number;
  active: boolean;
  readonly onEvent: (event: StorageEvent) => void;
}

interface Address extends StorageScope {
  readonly resource: string;
}

/** Where the listeners of a scope are found. A name alone has no place of its own: it is listened to everywhere. */
function placeOf({ resource, namespace, name }: Address): string {
  if (namespace === undefined) return resource;
  return name === undefined ? `${resource} ${namespace}` : `${resource} ${namespace}/${name}`;
}

/** The places of all listeners that an event can concern. */
function placesOf({ resource, namespace, name }: StorageKey): readonly string[] {
  return [resource, `${resource} ${namespace}`, `${resource} ${namespace}/${name}`];
}

/**
 * The listeners of all resources. Events are delivered one after the other in order of revision to everyone, also when a
 * listener commits, subscribes or cancels while it is being called: what it commits is delivered after it has returned.
 */
export class Subscribers {
  readonly #log: Logger;
  readonly #byPlace = new Map<string, Set<Subscriber>>();
  readonly #pending: StorageEvent[] = [];
  #delivering = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param recorded answers the recorded events after a revision */
  add(
    address: Address,
    since: number,
    recorded: (revision: number) => readonly StorageEvent[],
    onEvent: (event: StorageEvent) => void,
  ): StorageSubscription {
    const subscriber: Subscriber = { seen: since, active: true, onEvent };
    const place = placeOf(address);
    const set = this.#byPlace.get(place) ?? new Set();
    this.#byPlace.set(place, set);
    // Listeners may commit while they catch up, so look again until nothing is left.
    for (let events = recorded(since); events.length > 0; events = recorded(subscriber.seen)) {
      for (const event of events) this.#call(subscriber, event);
    }
    set.add(subscriber);
    return {
      cancel: () => {
        subscriber.active = false;
        set.delete(subscriber);
        if (set.size === 0 && this.#byPlace.get(place) === set) this.#byPlace.delete(place);
      },
    };
  }

  publish(event: StorageEvent): void {
    this.#pending.push(event);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#pending.shift(); next; next = this.#pending.shift()) this.#deliver(next);
    } finally {
      this.#delivering = false;
    }
  }

  clear(): void {
    for (const set of this.#byPlace.values()) {
      for (const subscriber of set) subscriber.active = false;
      set.clear();
    }
  }

  #deliver(event: StorageEvent): void {
    for (const place of placesOf(event.key)) {
      const set = this.#byPlace.get(place);
      if (set) for (const subscriber of set) this.#call(subscriber, event);
    }
  }

  #call(subscriber: Subscriber, event: StorageEvent): void {
    if (!subscriber.active || event.revision <= subscriber.seen) return;
    subscriber.seen = event.revision;
    try {
      subscriber.onEvent(event);
    } catch (error) {
      this.#log.error({ error, key: event.key, revision: event.revision }, 'a storage subscriber failed on an event');
    }
  }
}
