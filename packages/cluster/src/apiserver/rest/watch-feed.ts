import type { StorageEvent } from '../../storage/types.ts';
import type { OutgoingEvent, ResourceInfo } from '../types.ts';

/**
 * What watches with the same resource, form and selectors see of a change: worked out by the first of them, and one value for all, so
 * that its bytes are made once too.
 */
export class WatchFeed {
  #event: StorageEvent | undefined;
  #outgoing: OutgoingEvent | undefined;

  /** What they see of `event`; `make` is asked once for each. `undefined`: nothing. */
  of(event: StorageEvent, make: (event: StorageEvent) => OutgoingEvent | undefined): OutgoingEvent | undefined {
    if (this.#event !== event) {
      this.#outgoing = make(event);
      this.#event = event;
    }
    return this.#outgoing;
  }
}

interface Entry {
  readonly feed: WatchFeed;
  users: number;
}

/** The feeds in use. A definition that changed has feeds of its own. */
export class WatchFeeds {
  readonly #feeds = new Map<ResourceInfo, Map<string, Entry>>();

  /** @param key form and selectors */
  take(resource: ResourceInfo, key: string): WatchFeed {
    const feeds = this.#feeds.get(resource) ?? new Map<string, Entry>();
    this.#feeds.set(resource, feeds);
    const entry = feeds.get(key) ?? { feed: new WatchFeed(), users: 0 };
    feeds.set(key, entry);
    entry.users++;
    return entry.feed;
  }

  leave(resource: ResourceInfo, key: string): void {
    const feeds = this.#feeds.get(resource);
    const entry = feeds?.get(key);
    if (!feeds || !entry || --entry.users > 0) return;
    feeds.delete(key);
    if (feeds.size === 0) this.#feeds.delete(resource);
  }
}
