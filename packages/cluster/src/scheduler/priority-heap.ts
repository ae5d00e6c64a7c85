/** A binary heap from which the first comes out first, and any can be taken out. */
export class PriorityHeap<T extends object> {
  readonly #before: (a: T, b: T) => boolean;
  readonly #items: T[] = [];
  readonly #places = new Map<T, number>();

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    if (this.#places.has(item)) return;
    this.#put(item, this.#items.length);
    this.#up(this.#items.length - 1);
  }

  take(): T | undefined {
    const [first] = this.#items;
    if (first) this.delete(first);
    return first;
  }

  delete(item: T): void {
    const at = this.#places.get(item);
    if (at === undefined) return;
    this.#places.delete(item);
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#put(last, at);
    this.#down(this.#up(at));
  }

  #put(item: T, at: number): void {
    this.#items[at] = item;
    this.#places.set(item, at);
  }

  #goesBefore(at: number, other: number): boolean {
    const [a, b] = [this.#items[at], this.#items[other]];
    return a !== undefined && (b === undefined || this.#before(a, b));
  }

  #swap(at: number, other: number): void {
    const [a, b] = [this.#items[at], this.#items[other]];
    if (a === undefined || b === undefined) return;
    this.#put(b, at);
    this.#put(a, other);
  }

  #up(from: number): number {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#goesBefore(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
    return at;
  }

  #down(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const first = this.#goesBefore(left + 1, left) ? left + 1 : left;
      if (!this.#goesBefore(first, at)) return;
      this.#swap(at, first);
      at = first;
    }
  }
}
