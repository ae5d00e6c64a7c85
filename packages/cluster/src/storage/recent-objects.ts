/** What is kept while it is recent. */
interface Kept {
  readonly json: { readonly length: number };
  used: boolean;
  drop(): void;
}

/** Weight of an object besides that of its text. */
const baseWeight = 256;

/**
 * Bounds the memory that parsed objects take, by the size of their texts. The oldest go first; those that were used since it was
 * their turn last get another round.
 */
export class RecentObjects {
  readonly #limit: number;
  #queue: (Kept | undefined)[] = [];
  #head = 0;
  #size = 0;

  /** @param limit bytes of text; the objects themselves take about twice as much */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes an object that has just been made. */
  add(kept: Kept): void {
    this.#queue.push(kept);
    this.#size += kept.json.length + baseWeight;
    while (this.#size > this.#limit) this.#passOldest();
  }

  #passOldest(): void {
    const oldest = this.#queue[this.#head] as Kept;
    this.#queue[this.#head++] = undefined;
    if (this.#head > 1024 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    if (oldest.used) {
      oldest.used = false;
      this.#queue.push(oldest);
      return;
    }
    oldest.drop();
    this.#size -= oldest.json.length + baseWeight;
  }
}
