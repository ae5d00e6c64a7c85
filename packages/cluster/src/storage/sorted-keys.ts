/** Keys a chunk may hold before it is split. Inserting moves at most this many. */
const chunkLimit = 512;

/** First index in `keys` whose key is not below `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A sorted set of strings as a list of short sorted chunks: adding and removing cost O(log n + chunk), whatever the size,
 * and ranges are read in order. Ranges are half open; an absent `end` means to the last key.
 */
export class SortedKeys {
  #chunks: string[][] = [];

  add(key: string): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (!chunk) {
      this.#chunks.push([key]);
      return;
    }
    const index = lowerBound(chunk, key);
    if (chunk[index] === key) return;
    chunk.splice(index, 0, key);
    if (chunk.length > chunkLimit) this.#chunks.splice(at + 1, 0, chunk.splice(chunk.length >>> 1));
  }

  delete(key: string): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (!chunk) return;
    const index = lowerBound(chunk, key);
    if (chunk[index] !== key) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** Up to `limit` keys of the range, in order. */
  slice(start: string, end: string | undefined, limit: number): string[] {
    const keys: string[] = [];
    for (let at = this.#chunkOf(start); at < this.#chunks.length && keys.length < limit; at++) {
      const chunk = this.#chunks[at] as string[];
      const stop = end === undefined ? chunk.length : lowerBound(chunk, end);
      for (let i = lowerBound(chunk, start); i < stop && keys.length < limit; i++) keys.push(chunk[i] as string);
      if (stop < chunk.length) break;
    }
    return keys;
  }

  /** How many keys the range holds. */
  count(start: string, end: string | undefined): number {
    let count = 0;
    const first = this.#chunkOf(start);
    for (let at = first; at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] as string[];
      const from = at === first ? lowerBound(chunk, start) : 0;
      const whole = end === undefined || (chunk.at(-1) as string) < end;
      const stop = whole ? chunk.length : lowerBound(chunk, end);
      count += Math.max(0, stop - from);
      if (!whole) break;
    }
    return count;
  }

  /** The chunk that holds `key` or would take it: the last whose first key is not above it, else the first. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (((this.#chunks[middle] as string[])[0] as string) <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}
