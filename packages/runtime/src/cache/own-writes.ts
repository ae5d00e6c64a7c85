import type { KubeObject } from '@coxswain/k8s';
import { compareVersions } from './resource-version.ts';

/** Writes of our own to one object whose echo the watch has not brought yet. */
interface Mark<T> {
  /** The object as handlers knew it before the first of them; `undefined` when there was none. */
  readonly base: T | undefined;
  readonly versions: Set<string>;
}

/**
 * Why an object is buried: handlers were told that it is gone when a write of ours was answered (we deleted it, or the
 * answer was out of the scope), or the object of an answer took its place.
 */
type Cause = 'told' | 'replaced';

/** An object that is gone for us, and that the watch may still tell old news of. */
interface Tombstone {
  readonly cause: Cause;
  /** Events up to this version are old news; `undefined`: all of this UID. */
  readonly version: string | undefined;
  /** The listing during which it was made, or the last one before. */
  readonly listing: number;
}

/**
 * What a store remembers of our own writes until the watch has passed them (`spec/framework.md` §6.4).
 * Holds as many entries as writes are between their answer and their echo.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #marks = new Map<string, Mark<T>>();
  /** By key, the version up to which handlers were told without origin when an answer was taken. */
  readonly #told = new Map<string, string>();
  readonly #tombstones = new Map<string, Tombstone>();
  readonly #listed = new Set<string>();

  get size(): number {
    return this.#marks.size + this.#told.size + this.#tombstones.size;
  }

  mark(key: string, version: string, base: T | undefined): void {
    const mark = this.#marks.get(key);
    if (mark) mark.versions.add(version);
    else this.#marks.set(key, { base, versions: new Set([version]) });
  }

  /** Handlers were told of this version as of somebody else's: what the watch brings up to it is old news, ours or not. */
  told(key: string, version: string): void {
    this.#marks.delete(key);
    this.#told.set(key, version);
  }

  /** Whether this version is ours, or told already; an echo comes once, so it is forgotten. */
  takeEcho(key: string, version: string): boolean {
    const told = this.#told.get(key);
    if (told !== undefined && compareVersions(version, told) <= 0) return true;
    const mark = this.#marks.get(key);
    if (!mark?.versions.delete(version)) return false;
    if (mark.versions.size === 0) this.#marks.delete(key);
    return true;
  }

  has(key: string): boolean {
    return this.#marks.has(key);
  }

  base(key: string): T | undefined {
    return this.#marks.get(key)?.base;
  }

  markedKeys(): readonly string[] {
    return [...this.#marks.keys()];
  }

  bury(uid: string, cause: Cause, version: string | undefined, listing: number): void {
    this.#tombstones.set(uid, { cause, version, listing });
  }

  /** Whether news of this version of this UID is from before we deleted it. */
  isBuried(uid: string | undefined, version: string): boolean {
    const tombstone = uid === undefined ? undefined : this.#tombstones.get(uid);
    return (
      tombstone !== undefined && (tombstone.version === undefined || compareVersions(version, tombstone.version) <= 0)
    );
  }

  /** The watch told that this UID went (or left the selection) at `version`. Why we knew; `undefined`: we did not. */
  takeDeletion(uid: string | undefined, version: string): Cause | undefined {
    const tombstone = uid === undefined ? undefined : this.#tombstones.get(uid);
    if (uid === undefined || !tombstone) return undefined;
    if (tombstone.version === undefined) this.#tombstones.delete(uid);
    else if (compareVersions(version, tombstone.version) > 0) return undefined;
    return tombstone.cause;
  }

  /** A listing shows this UID although it is buried: the listing is older than the deletion. */
  sawInListing(uid: string): void {
    this.#listed.add(uid);
  }

  /** The watch is at `version`: it brings nothing of ours up to there any more. */
  passed(version: string): void {
    if (this.size === 0) return;
    for (const [key, mark] of this.#marks) {
      for (const own of mark.versions) if (compareVersions(own, version) <= 0) mark.versions.delete(own);
      if (mark.versions.size === 0) this.#marks.delete(key);
    }
    for (const [key, told] of this.#told) if (compareVersions(told, version) <= 0) this.#told.delete(key);
    for (const [uid, tombstone] of this.#tombstones) {
      if (tombstone.version !== undefined && compareVersions(tombstone.version, version) <= 0)
        this.#tombstones.delete(uid);
    }
  }

  /** A listing is complete. What was buried before it began and is not in it, is gone from the watch's future too. */
  listingDone(listing: number): void {
    for (const [uid, tombstone] of this.#tombstones) {
      if (tombstone.listing < listing && !this.#listed.has(uid)) this.#tombstones.delete(uid);
    }
    this.#listed.clear();
  }

  clear(): void {
    this.#marks.clear();
    this.#told.clear();
    this.#tombstones.clear();
    this.#listed.clear();
  }
}
