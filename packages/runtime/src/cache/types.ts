import type { Kind, KubeObject } from '@coxswain/k8s';
import type { ObjectKey } from '../core/index.ts';
import type { InformerCounts } from './health.ts';

/** The objects of one kind as last seen: synchronous, shared, read-only. */
export interface Store<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  list(options?: {
    readonly namespace?: string;
    readonly labels?: string | Readonly<Record<string, string>>;
  }): Iterable<T>;
  /** Objects for which the index named `index` gave `value`. @throws when there is no such index */
  by(index: string, value: string): Iterable<T>;
  readonly size: number;
  /** Of the newest event or list applied. */
  readonly resourceVersion: string;
}

/**
 * What happened to one object in a store. `previous` is the object as handlers knew it before.
 * `origin` is set when the change is a write of our own whose answer the store took before the watch told of it: it is what
 * was given to `withReadYourWrites`, so a controller can tell its own writes from all others.
 * A write of somebody else that ours overtook is told too, as a change without origin of the newest object.
 */
export type StoreEvent<T extends KubeObject> =
  | { readonly type: 'added'; readonly object: T; readonly initial: boolean; readonly origin?: object }
  | { readonly type: 'updated'; readonly object: T; readonly previous: T; readonly origin?: object }
  | { readonly type: 'deleted'; readonly object: T; readonly origin?: object };

/** Which objects an informer holds, and how much of them. The server selects; nothing else crosses the wire. */
export interface InformerScope<T extends KubeObject = KubeObject> {
  /** Absent, and no `namespaces` either: all. */
  readonly namespace?: string;
  /**
   * Several namespaces, each with a watch of its own, seen as one: for those who may not watch all. Not together with
   * `namespace`. An empty list selects nothing.
   */
  readonly namespaces?: readonly string[];
  readonly labels?: string | Readonly<Record<string, string>>;
  readonly fields?: string | Readonly<Record<string, string>>;
  /** Hold only metadata. */
  readonly metadataOnly?: boolean;
  /**
   * What the store keeps of an object, to save memory: a pure function that answers a new object with fields left out, and
   * leaves name, namespace, uid and resourceVersion as they are. Runs on whatever comes, answers of our own writes too. One
   * that fails or breaks that rule is told in the log, and the object is kept whole. Another function is another informer,
   * so give the same one each time.
   */
  transform?(object: T): KubeObject;
}

/** Keeps a store equal to the server. Never stops by itself. */
export interface Informer<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly store: Store<T>;
  /** Resolves when the first full state is in the store and every handler has seen it. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /**
   * Milliseconds since the server was last heard of: an event, a bookmark (about every minute) or an answered probe. What the
   * store shows may be so old. Of several namespaces: the longest.
   */
  readonly lag: number;
  /** What it has done so far; of several namespaces: together. */
  readonly counts: InformerCounts;
  /** Called for each change, in order, synchronously; a new handler first gets `added` (initial) for what is there. */
  onEvent(handler: (event: StoreEvent<T>) => void): () => void;
  /** Adds an index at any time. `values` gives the values under which an object is found. */
  addIndex(name: string, values: (object: T) => readonly string[]): void;
  /**
   * Other namespaces from now on, for an informer with `namespaces` in its scope: objects of those that go are told as
   * `deleted`, those that come as `added`; `synced` is for them anew. @throws when the scope has no `namespaces`
   */
  setNamespaces(namespaces: readonly string[]): void;
  /** Ends this use; the watch stops with the last user. */
  release(): void;
}

/** What an informer is to one of its users. */
export interface InformerUse {
  /** It does without while the kind cannot be listed. Default false. */
  readonly optional?: boolean;
}

/** One informer of a cache as it stands, for those who ask how far it is. */
export interface InformerState {
  readonly kind: Kind;
  readonly scope: InformerScope;
  readonly store: Store<KubeObject>;
  /** Whether the first full state is in the store. */
  readonly hasSynced: boolean;
  /** See `Informer`. */
  readonly lag: number;
  readonly counts: InformerCounts;
  /** Whether all its users can do without. */
  readonly optional: boolean;
}

/**
 * The informers of one API server. Asking twice for the same kind and scope gives the same store.
 * Reads of a kind nobody declared go live and never start an informer.
 */
export interface Cache {
  informer<T extends KubeObject>(kind: Kind<T>, scope?: InformerScope<NoInfer<T>>, use?: InformerUse): Informer<T>;
  /** The store of a kind that has an informer (unscoped one first). @throws when none was declared */
  store<T extends KubeObject>(kind: Kind<T>): Store<T>;
  has(kind: Kind): boolean;
  /**
   * Objects that come from now on keep which fields this field manager applied (server-side apply), so that whoever
   * applies under this name need not ask the server what it did before. Call it before the informers are started.
   */
  keepAppliedFields(fieldManager: string): void;
  /** All informers that run now. */
  informers(): readonly InformerState[];
  /** Resolves when all informers have synced. */
  synced(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}
