interface Expectation {
  readonly met: () => boolean;
  /** On the monotonic clock. */
  readonly deadline: number;
}

interface OfObject {
  readonly uid: string;
  readonly all: Map<string, Expectation>;
}

/** What is still awaited for an object. */
export interface Awaited {
  /** The first that is neither met nor timed out. */
  readonly name: string | undefined;
  /** Milliseconds until it times out. */
  readonly after: number;
  /** Those whose time has passed unmet since the last look; they are told once. */
  readonly timedOut: readonly string[];
}

/** What objects wait for, by key and UID: it goes with the object, and with the process. */
export class Expectations {
  readonly #objects = new Map<string, OfObject>();

  get size(): number {
    return this.#objects.size;
  }

  /** In place of one of the same name. */
  set(key: string, uid: string, name: string, expectation: Expectation): void {
    const known = this.#objects.get(key);
    const entry = known?.uid === uid ? known : { uid, all: new Map<string, Expectation>() };
    entry.all.set(name, expectation);
    this.#objects.set(key, entry);
  }

  /** Forgets what is met or has timed out. @throws what a check throws, which is then forgotten too */
  awaited(key: string, uid: string, now: number): Awaited {
    const entry = this.#objects.get(key);
    const timedOut: string[] = [];
    let first: string | undefined;
    let after = 0;
    if (entry?.uid !== uid) this.#objects.delete(key);
    else {
      for (const [name, { met, deadline }] of [...entry.all]) {
        entry.all.delete(name);
        if (met()) continue;
        if (deadline <= now) timedOut.push(name);
        else {
          entry.all.set(name, { met, deadline });
          if (first === undefined || deadline - now < after) [first, after] = [name, deadline - now];
        }
      }
      if (entry.all.size === 0) this.#objects.delete(key);
    }
    return { name: first, after, timedOut };
  }

  forget(key: string): void {
    this.#objects.delete(key);
  }
}
