import type { Kind, KubeObject } from '@coxswain/k8s';
import type { Cache, InformerScope, StoreEvent } from '../cache/types.ts';
import type { Client } from '../client/types.ts';
import type { Clock, Logger, ObjectKey } from '../core/index.ts';
import type { ShardingOptions } from '../sharding/index.ts';
import type { ExternalSource } from './external-source.ts';

/** What a reconcile asks for: nothing, or to be called again after so many milliseconds. Errors are thrown. */
export type Result = undefined | { readonly requeueAfter: number };

/** What a reconciler is given for one key. */
export interface ReconcileContext {
  readonly key: ObjectKey;
  /** Fenced by the leader lease; its writes are seen at once by the stores. */
  readonly client: Client;
  /** `store(kind)` of a kind that the controller watches shows what it watches of it; every change of that wakes it. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted at shutdown, loss of leadership and when the reconcile takes too long. */
  readonly signal: AbortSignal;
}

/** What is done for a key. It must be safe to repeat at any time; what it throws is tried again, with backoff. */
export interface Reconciler {
  // biome-ignore lint/suspicious/noConfusingVoidType: lets a reconcile that only ever ends well return nothing
  reconcile(context: ReconcileContext): Promise<Result | void>;
  /** The key is another replica's from now on, by sharding: what is remembered of it can go. It may come back. */
  forget?(key: ObjectKey): void;
  /** Called once when the controller has stopped. */
  stop?(): void;
}

/** Whether an event matters. */
export type Predicate<T extends KubeObject> = (event: StoreEvent<T>) => boolean;

/** Which keys of the controller's own kind an object of another kind concerns. */
export type MapToKeys<T extends KubeObject> = (object: T, context: { readonly cache: Cache }) => Iterable<ObjectKey>;

/** How a controller works its keys; all of it optional. */
export interface ControllerOptions {
  /** Keys worked at the same time; a key is never worked twice at once. Default 16. */
  readonly workers?: number;
  /** Milliseconds after which a reconcile is aborted and counted as failed; default 300 000. */
  readonly timeout?: number;
  /** Milliseconds of the per-key backoff after errors; default { min: 5, max: 300 000 }, doubling, with jitter. */
  readonly backoff?: { readonly min: number; readonly max: number };
  /** At most so many reconciles a second, after a first burst; default: as many as the workers can do. */
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  /** Milliseconds for which the events of a key are collected, from the first on, before it is worked; default 0. */
  readonly debounce?: number;
  /**
   * When a kind it watches cannot be listed, because it is not installed or may not be read: `wait` for it, or `fail` the start of the
   * manager after `startupTimeout` milliseconds (default 60 000). Default `wait`; the log says what is waited for.
   */
  readonly startup?: 'wait' | 'fail';
  readonly startupTimeout?: number;
  /** Every object is reconciled again after about this many milliseconds; default: never. */
  readonly resync?: number;
  /** Whether only the leader reconciles; default true, and false with `sharding`. */
  readonly leaderOnly?: boolean;
  /**
   * Shares the keys out among all replicas, each working those of the shards it holds a Lease of; default: none, one replica works all.
   * Every replica caches everything. The role needs `get`, `list`, `create`, `update`, `delete` and `watch` on Leases.
   */
  readonly sharding?: ShardingOptions;
}

/** Declares what a controller watches; `run` hands it to the manager. */
export interface ControllerBuilder<T extends KubeObject> {
  /** Changes of objects whose controlling owner is of our kind enqueue that owner. */
  owns<C extends KubeObject>(
    kind: Kind<C>,
    options?: { readonly scope?: InformerScope; readonly where?: Predicate<C> },
  ): this;
  /** Changes of objects of another kind enqueue the keys that `map` names, for the old and the new object. */
  watches<C extends KubeObject>(
    kind: Kind<C>,
    options: { readonly map: MapToKeys<C>; readonly scope?: InformerScope; readonly where?: Predicate<C> },
  ): this;
  /** Keys come from something outside the API server too: see `pollSource` and `channelSource`. */
  from(source: ExternalSource): this;
  /** Only events of our own kind that pass enqueue. */
  where(predicate: Predicate<T>): this;
  scope(scope: InformerScope): this;
  options(options: ControllerOptions): this;
  run(reconciler: Reconciler): Controller;
}

/** A kind that a controller was said to work with, and where. */
export interface DeclaredKind {
  readonly kind: Kind;
  /** The namespaces that its scope names; absent: all. */
  readonly namespaces?: readonly string[];
}

/** What the loop of an actor does besides. */
export interface DeclaredActor {
  /** Its status is written as a subresource. */
  readonly statusSubresource: boolean;
  /** Kinds that its dependencies may be of. Absent: it has dependencies, and does not say of which kinds. */
  readonly dependsOn?: readonly Kind[];
}

/** What a controller was said to work with. */
export interface DeclaredController {
  readonly name: string;
  readonly for: DeclaredKind;
  readonly owns: readonly DeclaredKind[];
  readonly watches: readonly DeclaredKind[];
  /** Absent: a reconciler of one's own, and nobody knows what it writes. */
  readonly actor?: DeclaredActor;
  /** Where the Leases of its shards are. */
  readonly sharding?: ShardingOptions;
}

/** A controller that was given to a manager: it works while the manager runs. */
export interface Controller {
  readonly name: string;
  readonly kind: Kind;
  /** Enqueues a key by hand. */
  enqueue(key: ObjectKey, delay?: number): void;
  /** True when no key is waiting to run now or being worked (keys due later do not count). */
  readonly idle: boolean;
}
