import type { Logger } from '@coxswain/runtime/core';
import type { StorageEvent, StorageSubscription } from './types.ts';

interface Subscriber {
  /** Revision of the last event it got, or started from. */
  seen: number;
  active: boolean;
  readonly onEvent: (event: StorageEvent) => void;
}

/**
 * The listeners of all resources. Events are delivered one after the other in order of revision to everyone, also when a
 * listener commits, subscribes or cancels while it is being called: what it commits is delivered after it has returned.
 */
export class Subscribers {
  readonly #log: Logger;
  readonly #byResource = new Map<string, Set<Subscriber>>();
  readonly #pending: StorageEvent[] = [];
  #delivering = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param recorded answers the recorded events after a revision */
  add(
    resource: string,
    since: number,
    recorded: (revision: number) => readonly StorageEvent[],
    onEvent: (event: StorageEvent) => void,
  ): StorageSubscription {
    const subscriber: Subscriber = { seen: since, active: true, onEvent };
    const set = this.#byResource.get(resource) ?? new Set();
    this.#byResource.set(resource, set);
    // Listeners may commit while they catch up, so look again until nothing is left.
    for (let events = recorded(since); events.length > 0; events = recorded(subscriber.seen)) {
      for (const event of events) this.#call(subscriber, event);
    }
    set.add(subscriber);
    return {
      cancel: () => {
        subscriber.active = false;
        set.delete(subscriber);
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
    for (const set of this.#byResource.values()) {
      for (const subscriber of set) subscriber.active = false;
      set.clear();
    }
  }

  #deliver(event: StorageEvent): void {
    const set = this.#byResource.get(event.key.resource);
    if (!set) return;
    for (const subscriber of set) this.#call(subscriber, event);
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
