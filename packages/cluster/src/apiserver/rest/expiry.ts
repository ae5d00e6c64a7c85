import type { Timer } from '@coxswain/runtime/core';
import type { StorageKey, StorageSubscription } from '../../storage/types.ts';
import type { ServerContext } from './context.ts';

interface Entry {
  readonly key: StorageKey;
  /** Monotonic milliseconds. */
  readonly due: number;
}

/**
 * Deletes objects of kinds with a time to live, counted from their last write. One queue a kind: its entries fall due in
 * the order in which they came. Objects found at the start get their whole time again.
 */
export class Expiry {
  readonly #server: ServerContext;
  readonly #queues: ExpiryQueue[] = [];

  constructor(server: ServerContext) {
    this.#server = server;
    const seen = new Set<string>();
    for (const { storage, strategy } of server.registry.all()) {
      if (strategy.ttlSeconds === undefined || seen.has(storage)) continue;
      seen.add(storage);
      this.#queues.push(new ExpiryQueue(this.#server, storage, strategy.ttlSeconds * 1000));
    }
  }

  close(): void {
    for (const queue of this.#queues) queue.close();
  }
}

class ExpiryQueue {
  readonly #server: ServerContext;
  readonly #ttl: number;
  readonly #entries = new Map<string, Entry>();
  readonly #subscription: StorageSubscription;
  #timer: Timer | undefined;

  constructor(server: ServerContext, resource: string, ttl: number) {
    this.#server = server;
    this.#ttl = ttl;
    const { objects, revision } = server.storage.list(resource);
    for (const { metadata } of objects)
      this.#add({ resource, namespace: metadata.namespace ?? '', name: metadata.name });
    this.#subscription = server.storage.subscribe(resource, revision, ({ type, key }) => {
      this.#entries.delete(textOf(key));
      if (type !== 'deleted') this.#add(key);
    });
  }

  close(): void {
    this.#subscription.cancel();
    this.#timer?.cancel();
  }

  #add(key: StorageKey): void {
    this.#entries.set(textOf(key), { key, due: this.#server.clock.monotonic() + this.#ttl });
    this.#timer ??= this.#server.clock.after(this.#ttl, () => this.#expire());
  }

  #expire(): void {
    const now = this.#server.clock.monotonic();
    this.#timer = undefined;
    // Each delete takes its entry out of the map, through the subscription.
    for (const { key, due } of this.#entries.values()) {
      if (due > now) {
        this.#timer = this.#server.clock.after(due - now, () => this.#expire());
        return;
      }
      this.#server.storage.delete(key);
    }
  }
}

function textOf({ namespace, name }: StorageKey): string {
  return `${namespace}/${name}`;
}
