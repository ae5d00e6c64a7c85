import type { KubeObject } from '@coxswain/k8s';

/** Where one object lives. `resource` is `group/plural` (`/pods`, `apps/deployments`); `namespace` is `''` for cluster scope. */
export interface StorageKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** One state of an object, as it is kept. */
export interface StoredObject {
  readonly key: StorageKey;
  /** Of the commit that made it; its `resourceVersion`. */
  readonly revision: number;
  /** The object as JSON, in UTF-8. Shared with every reader: it must not be written to. */
  readonly json: Buffer;
  /**
   * The object, deep-frozen. What was not used for a while, and is in nobody's hands, is read from the text again: two calls may answer
   * two objects, with equal content.
   */
  readonly object: KubeObject;
}

/** One change of the store. Revisions are global, start at 1 and grow by one with each commit. */
export interface StorageEvent {
  readonly type: 'created' | 'updated' | 'deleted';
  readonly key: StorageKey;
  readonly revision: number;
  /** The new state; for a deletion the last state, with the revision of the deletion as its `resourceVersion`. */
  readonly state: StoredObject;
  /** The state before; absent for creations. */
  readonly before: StoredObject | undefined;
  /** That of `state`. */
  readonly object: KubeObject;
  /** That of `before`. */
  readonly previous: KubeObject | undefined;
}

export interface StoragePage {
  readonly states: readonly StoredObject[];
  /** Those of `states`. */
  readonly objects: readonly KubeObject[];
  /** Revision of the snapshot. */
  readonly revision: number;
  /** Objects after this page; 0 when it is the last. */
  readonly remaining: number;
}

/** What of a resource a subscription is about; default all of it. `name` goes with a `namespace` (`''` for cluster scope). */
export interface StorageScope {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export interface StorageSubscription {
  /** Stops delivery at once. */
  cancel(): void;
}

/**
 * All objects of an embedded cluster, with their recent past. Commits are synchronous, so the order of revisions is the
 * order of calls; objects are deep-frozen and shared with every reader. What is kept for good is their text.
 */
export interface Storage {
  /** Of the newest commit. */
  readonly revision: number;
  /** Oldest revision that lists and watches can still start from. */
  readonly compacted: number;
  /** The object of a key, or the state it is in. */
  get(key: StorageKey): KubeObject | undefined;
  find(key: StorageKey): StoredObject | undefined;
  /**
   * Objects in order of namespace, then name.
   * @param options.after start strictly after this `namespace/name`
   * @param options.revision a past state; throws ApiError Expired when it was compacted
   */
  list(
    resource: string,
    options?: {
      readonly namespace?: string;
      readonly after?: string;
      readonly limit?: number;
      readonly revision?: number;
    },
  ): StoragePage;
  /**
   * Stores `object` (its `metadata.resourceVersion` is set to the new revision; the stored, frozen object is answered).
   * The caller has checked preconditions in the same synchronous section.
   */
  put(key: StorageKey, object: KubeObject): KubeObject;
  /** Removes; answers the last state with the revision of the deletion. The key must exist. */
  delete(key: StorageKey): KubeObject;
  /**
   * Events of a resource after revision `since`, first the recorded ones (synchronously, before this returns), then each new one
   * at the end of the commit that made it. With a scope, recorded events of others come too. @throws ApiError Expired when `since` was
   * compacted
   */
  subscribe(
    resource: string,
    since: number,
    onEvent: (event: StorageEvent) => void,
    scope?: StorageScope,
  ): StorageSubscription;
  /** Resources that hold at least one object. */
  resources(): readonly string[];
  /** Forgets the past up to `revision`. */
  compact(revision: number): void;
  /** Resolves when everything committed so far is as durable as the fsync policy promises; at once in memory. */
  flushed(): Promise<void>;
  /** Why nothing can be committed now; absent while it can. */
  readonly fault?: string | undefined;
  close(): Promise<void>;
}
