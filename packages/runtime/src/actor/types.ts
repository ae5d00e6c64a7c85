import type { Condition, Kind, KubeObject, Writable } from '@coxswain/k8s';
import type { Cache, Store } from '../cache/types.ts';
import type { Client, WritableKind } from '../client/types.ts';
import type { Clock, Logger, ObjectKey } from '../core/index.ts';
import type { EventDetails } from '../events/index.ts';

/** Status of an object as far as it is known: `object.status`, or an empty object. */
export type StatusOf<T> = T extends { readonly status?: infer S } ? NonNullable<S> : Record<string, unknown>;

/** Another object that must be there, and ready, before this one can be worked on. */
export interface Dependency {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** Default: `isReady` of the conditions module (Ready is True). Gets the live object. */
  readonly ready?: (object: KubeObject) => boolean;
}

/** One step towards the desired state. `name` is a constant, CamelCase: it labels metrics and conditions. */
export interface Action<T extends KubeObject> {
  readonly name: string;
  run(context: ActorContext<T>): Promise<void>;
}

/**
 * The life of one kind. The loop calls `observe` until it answers `undefined`, running each action it answers.
 * Both must be safe to repeat at any time and on stale data.
 */
export interface Actor<T extends KubeObject> {
  /** Kinds of its children: watched as if named by the builder's `owns`. */
  readonly owns?: readonly Kind[];
  /** Kinds of its dependencies: those it may read by the rules that are made for it, and no others may be named. Absent: any. */
  readonly dependsOn?: readonly Kind[];
  /**
   * Types of the conditions it keeps, such as `Ready`. One that is missing, or still speaks of an older generation, when a pass
   * fails or has to wait becomes Unknown, with the reason and message of `Synced`. Default: none.
   */
  readonly conditions?: readonly string[];
  /** What must be ready first. The loop waits and says so in the condition `Synced`. */
  dependencies?(object: T): readonly Dependency[];
  /** The next action, or `undefined` in the desired state. Throw `Resync` to wait without an error. */
  observe(context: ActorContext<T>): Promise<Action<T> | undefined>;
  /** Clean up; `true` when clean: the finalizer goes. Called only while the server has the object, whatever is known of it here. */
  finalize(context: ActorContext<T>): Promise<boolean>;
}

/** Conditions of the object being worked; written with the status at the end of the pass. */
export interface ConditionWriter {
  get(type: string): Condition | undefined;
  /**
   * `lastTransitionTime` moves only when `status` changes; `observedGeneration` is the object's generation.
   * @param reason one word in CamelCase, or `''`
   * @throws TypeError for a status or reason that API servers refuse
   */
  set(type: string, status: Condition['status'], reason: string, message?: string): void;
  remove(type: string): void;
}

export type { EventDetails };

/** How long `ctx.expect` waits. */
export interface ExpectOptions {
  /** Milliseconds after which it is given up, with a warning event; default 30 000. */
  readonly timeout?: number;
}

/** All that an actor may use. */
export interface ActorContext<T extends KubeObject> {
  /** As of the start of this step; fresh after each action. */
  readonly object: T;
  readonly client: Client;
  readonly cache: Cache;
  store<K extends KubeObject>(kind: Kind<K>): Store<K>;
  /**
   * Makes a child equal to `desired` where `desired` says something (server-side apply under the controller's name, forced).
   * Owned by the object unless `owned: false`; with `force: false` fields that another manager holds otherwise are a conflict. Sends nothing when the same was applied before and nothing drifted.
   * Fields that the kind has defaults for may be left out, as with `Resource.apply`. Answers the child as it is now.
   */
  apply<C extends KubeObject, Input extends KubeObject = C>(
    kind: WritableKind<C, Input>,
    desired: NoInfer<Input>,
    options?: { readonly owned?: boolean; readonly force?: boolean },
  ): Promise<C>;
  /** Children of `kind` whose controlling owner is the object. */
  owned<C extends KubeObject>(kind: Kind<C>): readonly C[];
  /**
   * From now on nothing is observed or done for the object until `met` answers true or the time is up; a change of a watched object, and the
   * timeout, look again. For effects that show late: outside the cluster, or in objects of others. What is written through `client` shows
   * at once and needs none. Kept in memory only: a new process looks afresh.
   */
  expect(name: string, met: () => boolean, options?: ExpectOptions): void;
  /**
   * Deletes when it is there; `true` when it is gone. Of a kind that is watched only what its store shows is there, and what another object
   * controls is that one's: nothing is done to it, as if it were gone.
   * @throws ApiError Conflict when it has changed since it was seen
   */
  ensureGone(kind: Kind, key: ObjectKey): Promise<boolean>;
  /** A draft: set its fields; it is written once at the end of the pass, only if it differs. */
  readonly status: Writable<StatusOf<T>>;
  readonly conditions: ConditionWriter;
  event(details: EventDetails): void;
  readonly log: Logger;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Options of an actor's controller. */
export interface ActorOptions {
  /** Finalizer the loop adds before the first action and removes after `finalize`. */
  readonly finalizer: string;
  /** Field manager of `apply` and status writes; default: the controller's name. */
  readonly fieldManager?: string;
  /** Milliseconds to the next look while not in the desired state; default 2 000. */
  readonly retryAfter?: number;
  /** Milliseconds to the next look while in the desired state; default: only on events. */
  readonly resyncAfter?: number;
  /**
   * Milliseconds that a change of the status may wait for the next, to be written with it: worth it where numbers and messages change again and
   * again on the way. What others act on is written at once: a condition that becomes True, stops being True, or is True of another
   * generation; and a failure. Default 0: each pass writes its status.
   */
  readonly statusDelay?: number;
  /** Whether the kind has a status subresource; default true. */
  readonly statusSubresource?: boolean;
  /** Whether the loop keeps the condition `Synced`; default true. Turn it off for kinds of others, such as Pods. */
  readonly syncedCondition?: boolean;
}
