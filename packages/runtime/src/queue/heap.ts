/** A place in a {@link TimerHeap}. `index` is the heap's own: −1 when the entry is not in it. */
export interface HeapEntry {
  /** Monotonic milliseconds. */
  due: number;
  /** The heap's own: among entries due at the same time, those set first come first. */
  order: number;
  index: number;
}

/** An entry that is in no heap yet. */
export const unset = { due: 0, order: 0, index: -1 };

const before = (a: HeapEntry, b: HeapEntry): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/** Entries by due time, earliest first. Moving and removing cost O(log n), so nothing stale stays behind. */
export class TimerHeap<E extends HeapEntry> {
  #entries: E[] = [];
  #order = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** The entry that is due first. */
  get first(): E | undefined {
    return this.#entries[0];
  }

  /** Puts an entry in, or moves it when it is there already. */
  set(entry: E, due: number): void {
    entry.due = due;
    entry.order = this.#order++;
    if (entry.index < 0) entry.index = this.#entries.push(entry) - 1;
    this.#settle(entry);
  }

  /** Takes an entry out; does nothing when it is not in. */
  remove(entry: E): void {
    if (entry.index < 0) return;
    const last = this.#entries.pop();
    if (last && last !== entry) {
      this.#put(last, entry.index);
      this.#settle(last);
    }
    entry.index = -1;
  }

  clear(): void {
    for (const entry of this.#entries) entry.index = -1;
    this.#entries = [];
  }

  #put(entry: E, index: number): void {
    this.#entries[index] = entry;
    entry.index = index;
  }

  #settle(entry: E): void {
    this.#up(entry);
    this.#down(entry);
  }

  #up(entry: E): void {
    for (;;) {
      const at = (entry.index - 1) >> 1;
      const parent = this.#entries[at];
      if (entry.index === 0 || !parent || before(parent, entry)) return;
      this.#put(parent, entry.index);
      this.#put(entry, at);
    }
  }

  #down(entry: E): void {
    for (;;) {
      const left = this.#entries[entry.index * 2 + 1];
      const right = this.#entries[entry.index * 2 + 2];
      const child = right && left && before(right, left) ? right : left;
      if (!child || before(entry, child)) return;
      const at = child.index;
      this.#put(child, entry.index);
      this.#put(entry, at);
    }
  }
}
