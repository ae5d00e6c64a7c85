/** So many runs of the same action in a row, all without effect, are a loop. */
export const loopAfter = 5;
const longestPause = 300_000;

/** Which action of which object runs again and again without effect. Objects that get on are not kept. */
export class Repeats {
  readonly #byKey = new Map<string, { readonly action: string; readonly count: number }>();

  /** Notes a run without effect. @returns how many in a row this makes */
  idle(key: string, action: string): number {
    const before = this.#byKey.get(key);
    const count = before?.action === action ? before.count + 1 : 1;
    this.#byKey.set(key, { action, count });
    return count;
  }

  /** Something changed, or the object is gone. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  /** Milliseconds to wait after `count` runs without effect. */
  pause(count: number, retryAfter: number): number {
    return count < loopAfter ? retryAfter : Math.min(longestPause, retryAfter * 2 ** (count - loopAfter + 1));
  }
}
