import type { KubeObject } from '@coxswain/k8s';
import { compareVersions, isOrdered } from '../cache/index.ts';
import type { Informer, StoreEvent } from '../cache/types.ts';
import { keyOf, keyString, type ObjectKey } from '../core/index.ts';

interface Awaited {
  /** Up to which version; absent: until the store tells anything of the object. */
  readonly version?: string;
  /** By the key they wake, so that each is woken once. */
  readonly wakes: ReadonlyMap<string, () => void>;
}

/** So many entries are kept before the first look for those that wait in vain. */
const few = 64;

/**
 * Who is woken by one informer and reads the store of another is woken again when that has the news too: two watches of a kind are
 * never quite in step.
 */
export class CatchUp {
  readonly #informer: Informer<KubeObject>;
  readonly #awaited = new Map<string, Awaited>();
  #sweepAt = few;
  /** Ends it. */
  readonly stop: () => void;

  /** @param informer whose store is read */
  constructor(informer: Informer<KubeObject>) {
    this.#informer = informer;
    this.stop = informer.onEvent(({ object }) => this.#told(object));
  }

  /** Something has happened that concerns `keys`; they are woken when the store that is read shows it, unless it does already. */
  note(
    { type, object }: StoreEvent<KubeObject>,
    keys: ReadonlyMap<string, ObjectKey>,
    wake: (key: ObjectKey) => void,
  ): void {
    const { resourceVersion: version = '', uid } = object.metadata;
    const key = keyString(keyOf(object));
    // What a listing did not show any more is told with the last version there was.
    const lives = type === 'deleted' && this.#informer.store.get(keyOf(object))?.metadata.uid === uid;
    if (!lives && reaches(this.#informer.store.resourceVersion, version)) return;
    const wakes = new Map(this.#awaited.get(key)?.wakes);
    for (const [text, concerned] of keys) wakes.set(text, () => wake(concerned));
    this.#awaited.set(key, { wakes, ...(lives ? {} : { version }) });
    if (this.#awaited.size >= this.#sweepAt) this.#sweep();
  }

  #told(object: KubeObject): void {
    const key = keyString(keyOf(object));
    const awaited = this.#awaited.get(key);
    if (!awaited) return;
    const { version } = awaited;
    if (version === undefined || reaches(object.metadata.resourceVersion ?? '', version)) this.#awaited.delete(key);
    for (const wake of awaited.wakes.values()) wake();
  }

  /** The store has passed them and told nothing: it does not hold these objects. */
  #sweep(): void {
    const { resourceVersion } = this.#informer.store;
    for (const [key, { version }] of this.#awaited)
      if (version !== undefined && reaches(resourceVersion, version)) this.#awaited.delete(key);
    this.#sweepAt = Math.max(few, 2 * this.#awaited.size);
  }
}

/** Versions without an order say nothing of each other, unless they are the same. */
function reaches(version: string, wanted: string): boolean {
  return version === wanted || (isOrdered(version) && isOrdered(wanted) && compareVersions(version, wanted) >= 0);
}
