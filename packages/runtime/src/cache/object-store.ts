import type { KubeObject } from '@coxswain/k8s';
import type { Authorship } from '../client/index.ts';
import { keyString, type ObjectKey } from '../core/index.ts';
import { mapKey, ObjectMap } from './object-map.ts';
import { OwnWrites } from './own-writes.ts';
import { compareVersions, isOrdered } from './resource-version.ts';
import type { Store, StoreEvent } from './types.ts';

export interface ObjectStoreOptions<T extends KubeObject> {
  /** Brings an object into the form the store keeps. */
  readonly ingest: (object: T) => T;
  /** Whether `ingest` keeps all that objects say; else what changed in them cannot be told from what is kept. Default true. */
  readonly whole?: boolean;
  /** Whether an object we wrote belongs here; `undefined`: only the server knows, so our writes come by the watch alone. */
  readonly includes: ((object: T) => boolean) | undefined;
  readonly emit: (event: StoreEvent<T>) => void;
}

/**
 * The objects of one informer. Takes what the watch brings and the answers of our own writes, by the rules of
 * `spec/framework.md` §6.4: reads never go back in time, and no write of others passes without an event.
 *
 * ```
 *  watcher ── beginListing, listed…, endListing ─┐
 *          ── changed, removed, bookmark ────────┤→ ObjectStore ── StoreEvent → handlers
 *  own writes ── written, gone ──────────────────┘
 * ```
 */
export class ObjectStore<T extends KubeObject> implements Store<T> {
  readonly #options: ObjectStoreOptions<T>;
  readonly #objects = new ObjectMap<T>();
  readonly #own = new OwnWrites<T>();
  /** How far the watch has come. Own writes do not move it. */
  #passed = '0';
  #synced = false;
  #listing = 0;
  /** Keys that the running listing has not shown yet; `undefined` when none runs. */
  #unseen: Set<string> | undefined;
  /** The server's history has gone back (restored, restarted empty): versions from before say nothing. */
  #historyReset = false;

  constructor(options: ObjectStoreOptions<T>) {
    this.#options = options;
  }

  get size(): number {
    return this.#objects.size;
  }

  get resourceVersion(): string {
    return this.#passed;
  }

  /** Whether a whole listing has been taken. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Own writes waiting for their echo. */
  get pendingEchoes(): number {
    return this.#own.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(keyString(key));
  }

  list(options: Parameters<Store<T>['list']>[0] = {}): readonly T[] {
    return this.#objects.list(options);
  }

  by(index: string, value: string): readonly T[] {
    return this.#objects.by(index, value);
  }

  addIndex(name: string, values: (object: T) => readonly string[]): void {
    this.#objects.addIndex(name, values);
  }

  clear(): void {
    this.#objects.clear();
    this.#own.clear();
  }

  // What the watch brings.

  /** A full listing begins. One that was cut short is simply begun again. */
  beginListing(): void {
    this.#listing++;
    this.#unseen = new Set(this.#objects.keys());
  }

  /** An object of the listing. */
  listed(object: T): void {
    this.#arrived(this.#options.ingest(object));
  }

  /**
   * The listing is complete and shows the state at `version`: what it did not show is gone, unless we wrote it since.
   * Every key with a write of ours under way is told again, since the listing may have swallowed somebody else's.
   * @returns false when the history has gone back, and everything must be listed once more
   */
  endListing(version: string): boolean {
    const wentBack = !this.#historyReset && this.#isOlder(version, this.#passed);
    if (wentBack) {
      this.#historyReset = true;
      this.#own.clear();
      return false;
    }
    this.#sweep(version);
    this.#historyReset = false;
    this.#synced = true;
    for (const key of this.#own.markedKeys()) this.#tellAgain(key);
    this.#advance(version);
    this.#own.listingDone(this.#listing);
    return true;
  }

  /** ADDED or MODIFIED. */
  changed(object: T): void {
    this.#arrived(this.#options.ingest(object));
    if (!this.#unseen) this.#advance(versionOf(object));
  }

  /** DELETED: gone, or no longer selected. */
  removed(object: T): void {
    this.#departed(this.#options.ingest(object));
    if (!this.#unseen) this.#advance(versionOf(object));
  }

  /** @returns false when the server is behind what it told before: its history has gone back, list again */
  bookmark(version: string): boolean {
    if (this.#isOlder(version, this.#passed)) return false;
    this.#advance(version);
    return true;
  }

  // What our own writes bring.

  /**
   * The answer of a write of ours. The store takes it in any case; a version that may be somebody else's is told without
   * origin.
   */
  written(written: T, origin: object | undefined, isOurs: Authorship): void {
    const version = versionOf(written);
    const { includes, whole = true } = this.#options;
    if (!includes || !isOrdered(version) || compareVersions(version, this.#passed) <= 0) return;
    const object = this.#options.ingest(written);
    if (this.#own.isBuried(object.metadata.uid, version)) return;
    const key = mapKey(object);
    const current = this.#objects.get(key);
    if (current && !this.#isNewer(object, current)) {
      // A later write was answered first: what this one found is not known any more.
      if (version !== versionOf(current) && isOurs(undefined, written)) this.#own.mark(key, version, current);
      return;
    }
    const ours = isOurs(whole ? current : undefined, written);
    const by = ours ? origin : undefined;
    if (includes(written)) {
      const replaced = current && current.metadata.uid !== object.metadata.uid ? current.metadata.uid : undefined;
      if (replaced) this.#own.bury(replaced, 'replaced', undefined, this.#listing);
      const known = ours ? current : this.#known(key, current);
      if (ours) this.#own.mark(key, version, current);
      else this.#own.told(key, version);
      this.#unseen?.add(key);
      this.#replace(key, object, current, known, by);
    } else {
      if (object.metadata.uid) this.#own.bury(object.metadata.uid, 'told', version, this.#listing);
      if (current) this.#drop(key, current, by);
    }
  }

  /** We deleted the object with this UID, and nothing holds it. */
  gone(key: ObjectKey, uid: string, origin: object | undefined): void {
    const text = keyString(key);
    const current = this.#objects.get(text);
    if (current?.metadata.uid !== uid) return;
    this.#own.bury(uid, 'told', undefined, this.#listing);
    this.#drop(text, current, origin);
  }

  // The rules.

  #arrived(object: T): void {
    const { uid } = object.metadata;
    const version = versionOf(object);
    if (this.#own.isBuried(uid, version)) {
      if (this.#unseen && uid) this.#own.sawInListing(uid);
      return;
    }
    const key = mapKey(object);
    this.#unseen?.delete(key);
    const current = this.#objects.get(key);
    if (!current || this.#isNewer(object, current)) this.#replace(key, object, current, this.#known(key, current));
    else if (!this.#unseen) this.#old(key, version, current);
  }

  /** News of a version the store is already past: an echo of ours, or a write of somebody else that ours overtook. */
  #old(key: string, version: string, current: T): void {
    const echo = this.#own.takeEcho(key, version);
    if (!echo && version !== versionOf(current)) this.#tellAgain(key);
  }

  #departed(object: T): void {
    const key = mapKey(object);
    const version = versionOf(object);
    this.#unseen?.delete(key);
    const cause = this.#own.takeDeletion(object.metadata.uid, version);
    if (cause === 'told') return;
    const current = this.#objects.get(key);
    if (!current) {
      // Gone already, but by writes of ours that overtook this.
      if (cause || this.#own.has(key)) this.#options.emit({ type: 'deleted', object });
      return;
    }
    const another = current.metadata.uid !== object.metadata.uid;
    if (another || (!this.#historyReset && this.#isOlder(version, versionOf(current)))) {
      // Its place is taken by one of ours, or it is back in the selection by a write of ours.
      if (another && this.#own.base(key)?.metadata.uid !== object.metadata.uid)
        this.#options.emit({ type: 'deleted', object });
      this.#tellAgain(key);
      return;
    }
    this.#objects.delete(key);
    this.#options.emit({ type: 'deleted', object });
  }

  /** @param known the object as handlers know it, where that is not `current` */
  #replace(key: string, object: T, current: T | undefined, known: T | undefined, origin?: object): void {
    this.#objects.set(key, object);
    const by = origin ? { origin } : {};
    const another = current !== undefined && current.metadata.uid !== object.metadata.uid;
    if (another) this.#options.emit({ type: 'deleted', object: current, ...by });
    if (current && known && !another) this.#options.emit({ type: 'updated', object, previous: known, ...by });
    else this.#options.emit({ type: 'added', object, initial: !this.#synced && !origin, ...by });
  }

  #drop(key: string, current: T, origin: object | undefined): void {
    this.#objects.delete(key);
    this.#unseen?.delete(key);
    this.#options.emit({ type: 'deleted', object: current, ...(origin ? { origin } : {}) });
  }

  #sweep(version: string): void {
    for (const key of this.#unseen ?? []) {
      const current = this.#objects.get(key);
      if (!current) continue;
      const writtenSince = !this.#historyReset && this.#isOlder(version, versionOf(current));
      if (!writtenSince) this.#drop(key, current, undefined);
    }
    this.#unseen = undefined;
  }

  /** Tells handlers of the newest state once more, as a change since what they knew before our own writes. */
  #tellAgain(key: string): void {
    const current = this.#objects.get(key);
    const previous = this.#known(key, current);
    const another = previous?.metadata.uid !== current?.metadata.uid;
    if (previous && another) this.#options.emit({ type: 'deleted', object: previous });
    if (!current) return;
    if (previous && !another) this.#options.emit({ type: 'updated', object: current, previous });
    else this.#options.emit({ type: 'added', object: current, initial: false });
  }

  /** The object as handlers knew it before writes of ours that are still without echo. */
  #known(key: string, current: T | undefined): T | undefined {
    return this.#own.has(key) ? this.#own.base(key) : current;
  }

  #advance(version: string): void {
    if (isOrdered(version) && this.#isOlder(version, this.#passed) && !this.#historyReset) return;
    this.#passed = version;
    if (isOrdered(version)) this.#own.passed(version);
  }

  #isNewer(object: T, current: T): boolean {
    const [a, b] = [versionOf(object), versionOf(current)];
    if (this.#historyReset || !isOrdered(a) || !isOrdered(b)) return a !== b;
    return compareVersions(a, b) > 0;
  }

  #isOlder(version: string, than: string): boolean {
    return isOrdered(version) && isOrdered(than) && compareVersions(version, than) < 0;
  }
}

function versionOf(object: KubeObject): string {
  return object.metadata.resourceVersion ?? '';
}
