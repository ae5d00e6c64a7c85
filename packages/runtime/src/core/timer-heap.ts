/** One timer waiting for its time. */
export interface PendingTimer {
  readonly at: number;
  /** Breaks ties: timers for the same time fire in the order of their making. */
  readonly order: number;
  readonly fire: () => void;
  cancelled: boolean;
}

/** Pending timers, soonest first. Cancelled ones stay until they reach the top or outnumber the live. */
export class TimerHeap {
  #heap: PendingTimer[] = [];
  #cancelled = 0;

  push(timer: PendingTimer): void {
    this.#heap.push(timer);
    this.#up(this.#heap.length - 1);
  }

  cancel(timer: PendingTimer): void {
    if (timer.cancelled) return;
    timer.cancelled = true;
    if (++this.#cancelled > 64 && this.#cancelled * 2 > this.#heap.length) this.#compact();
  }

  peek(): PendingTimer | undefined {
    while (this.#heap[0]?.cancelled) {
      this.#removeTop();
      this.#cancelled--;
    }
    return this.#heap[0];
  }

  pop(): PendingTimer | undefined {
    const top = this.peek();
    if (top) {
      this.#removeTop();
      top.cancelled = true; // A later cancel must not count it.
    }
    return top;
  }

  #compact(): void {
    const live = this.#heap.filter((timer) => !timer.cancelled);
    this.#heap = [];
    this.#cancelled = 0;
    for (const timer of live) this.push(timer);
  }

  #removeTop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#down(0);
  }

  #up(start: number): void {
    let i = start;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!this.#swapIfBefore(i, parent)) return;
      i = parent;
    }
  }

  #down(start: number): void {
    let i = start;
    for (;;) {
      const left = 2 * i + 1;
      const right = left + 1;
      const child = right < this.#heap.length && before(this.#heap[right], this.#heap[left]) ? right : left;
      if (child >= this.#heap.length || !this.#swapIfBefore(child, i)) return;
      i = child;
    }
  }

  #swapIfBefore(i: number, j: number): boolean {
    const [a, b] = [this.#heap[i], this.#heap[j]];
    if (!a || !b || !before(a, b)) return false;
    this.#heap[i] = b;
    this.#heap[j] = a;
    return true;
  }
}

function before(a: PendingTimer | undefined, b: PendingTimer | undefined): boolean {
  if (!a || !b) return a !== undefined;
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
