import type { HistoryOptions } from './options.ts';
import type { StorageEvent } from './types.ts';

/** The recent events of one resource, oldest first. */
export class History {
  /** Newest revision of which this resource's event may be missing: reading can start from here or later. */
  floor: number;
  #events: StorageEvent[] = [];
  #head = 0;

  constructor(floor: number) {
    this.floor = floor;
  }

  get length(): number {
    return this.#events.length - this.#head;
  }

  push(event: StorageEvent): void {
    this.#events.push(event);
  }

  /** Events with a revision above `revision`, oldest first. */
  after(revision: number): StorageEvent[] {
    return this.#events.slice(this.#indexAfter(revision));
  }

  /** Forgets all events up to `revision`. */
  compact(revision: number): void {
    this.#dropTo(this.#indexAfter(revision));
    this.floor = Math.max(this.floor, revision);
  }

  /** Forgets what the limits do not ask to keep; events up to `agedRevision` are older than the age limit. */
  trim(limits: Required<HistoryOptions>, agedRevision: number): void {
    const tooMany = this.length - limits.maxEvents;
    const aged = Math.min(this.#indexAfter(agedRevision) - this.#head, this.length - limits.minEvents);
    const drop = Math.max(tooMany, aged);
    if (drop > 0) this.#dropTo(this.#head + drop);
  }

  #dropTo(index: number): void {
    if (index <= this.#head) return;
    this.floor = Math.max(this.floor, this.#events[index - 1]?.revision ?? 0);
    // Forgotten slots must not keep their objects alive until the array is cut.
    this.#events.fill(undefined as unknown as StorageEvent, this.#head, index);
    this.#head = index;
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }

  #indexAfter(revision: number): number {
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle] as StorageEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
