import type { Kind, KubeObject, PolicyRule } from '@coxswain/k8s';
import type { Tracer } from '@opentelemetry/api';
import type { Actor, ActorOptions } from '../actor/types.ts';
import type { Cache, InformerScope } from '../cache/types.ts';
import type { Client } from '../client/types.ts';
import type { ExternalSource } from '../controller/external-source.ts';
import type {
  Controller,
  ControllerBuilder,
  ControllerOptions,
  DeclaredController,
  MapToKeys,
  Predicate,
} from '../controller/types.ts';
import type { Clock, Logger, Random } from '../core/index.ts';
import type { MetricsRegistry } from '../metrics/index.ts';
import type { ManagerState } from './lifecycle.ts';

/** What `createManager` needs; only the client and the name are required. */
export interface ManagerOptions {
  /** A client to one API server. The manager wraps it: writes are fenced and feed the stores. */
  readonly client: Client;
  /** Used in events, field managers and the election lease. */
  readonly name: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  /**
   * The one namespace that is looked at: scopes of namespaced kinds that name none mean this one, so that a Role is enough. Default: all.
   */
  readonly namespace?: string;
  /**
   * Absent: no election, this process leads. Controllers with `sharding` need none, since each shard has a Lease of its own; with several
   * replicas all others do, and so do runnables with `leaderOnly`. The log warns of an election that nothing waits for, and of shards
   * beside controllers that every replica would work whole.
   */
  readonly election?: { readonly namespace: string; readonly lease: string; readonly identity?: string };
  /**
   * Milliseconds for a stop: running reconciles and runnables may end meanwhile. Those that have not are told in the log and left a moment
   * later, and the lease is given back: writes through the manager's clients are refused from then on. Default 30 000, as long as a
   * kubelet waits by default; `terminationGracePeriodSeconds` of the pod should be some seconds more.
   */
  readonly shutdownTimeout?: number;
  /** Where metrics go; default: nowhere. */
  readonly metrics?: MetricsRegistry;
  /**
   * Makes each reconcile (`reconcile <controller>`) and each action of an actor a span, errors recorded: any tracer of
   * OpenTelemetry. Give the client `clientTracing(tracer)` to have its requests in the same traces. Default: no spans.
   */
  readonly tracer?: Tracer;
  /**
   * Milliseconds of computing without a pause that are told in the log, with the reconciles that ran meanwhile, and counted in
   * `coxswain_event_loop_blocks_total`; `false`: none. Default 1 000, and none where `clock` is not the machine's own.
   */
  readonly blockWarning?: number | false;
  /**
   * Called when leadership was lost; the workers have been told to stop and every write is refused by then. A process
   * should end now, non-zero, and start afresh. Default: the manager only logs it and stops itself.
   */
  readonly onLost?: () => void;
}

/** Anything with a life inside a manager. */
export interface Runnable {
  readonly name: string;
  /** Whether it waits for leadership; default false. */
  readonly leaderOnly?: boolean;
  /** Whether it starts before all that are not early: what tells how the process is waits for nobody. Default false. */
  readonly early?: boolean;
  /** False while it has work to do now; counts for the manager's `idle`. Absent: always idle. */
  readonly idle?: boolean;
  /** Resolves when it is up; it ends when `signal` is aborted. */
  start(signal: AbortSignal): Promise<void>;
  stop?(): Promise<void>;
}

/** Runs controllers over shared caches, with leader election and an ordered shutdown. */
export interface Manager {
  readonly name: string;
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  controller<T extends KubeObject>(kind: Kind<T>, name?: string): ControllerBuilder<T>;
  /** A controller that runs an actor; the returned builder takes further sources before `run()`. */
  actor<T extends KubeObject>(
    kind: Kind<T>,
    actor: Actor<T>,
    options: ActorOptions & { readonly name?: string },
  ): ActorBuilder<T>;
  /** @throws Error for one that was added already */
  add(runnable: Runnable): void;
  /** What its controllers work with, in the order they were declared. */
  readonly declared: readonly DeclaredController[];
  /**
   * Starts caches, then (when leading) workers. Resolves when the first workers run, or when it has been stopped before. A second call, and
   * one after a stop, is an error: a manager has one life.
   * @throws what kept it from starting, such as `KindsNotServed`, `LeadershipLost` or the error of a runnable. By then all is given back,
   * the lease too, and the manager is stopped
   */
  start(): Promise<void>;
  /** Ends all in order; never rejects. See `shutdownTimeout` for how long it may take. */
  stop(): Promise<void>;
  /** Resolves when it has been stopped as asked; rejects when it has stopped for another reason: it lost its leadership, or could not start. */
  readonly ended: Promise<void>;
  readonly state: ManagerState;
  /** Names of the runnables that are not up yet, but for those that wait for leadership; `readyz` of a health server says them. */
  readonly pending: readonly string[];
  /** True when no controller has a key to run now or one being worked, and no runnable says it has work. */
  readonly idle: boolean;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Sources of an actor's controller: as of any controller, but the reconciler is there already. */
export interface ActorBuilder<T extends KubeObject> {
  /** Children: their changes enqueue the controlling owner, and `ctx.owned` finds them. */
  owns<C extends KubeObject>(kind: Kind<C>, options?: SourceOptions<C>): this;
  /** Changes of objects of another kind enqueue the keys that `map` names, for the old and the new object. */
  watches<C extends KubeObject>(kind: Kind<C>, options: SourceOptions<C> & { readonly map: MapToKeys<C> }): this;
  /** Keys come from something outside the API server too: see `pollSource` and `channelSource`. */
  from(source: ExternalSource): this;
  /** Replaces the default predicate of the actor's own kind: generation, labels or annotations changed. */
  where(predicate: Predicate<T>): this;
  scope(scope: InformerScope): this;
  options(options: ControllerOptions): this;
  /** Makes the controller. @throws Error when it was called before; the builder takes no further sources then either */
  run(): Controller;
}

/** Which objects of a watched kind matter: `scope` selects on the server, `where` filters events here. */
export interface SourceOptions<C extends KubeObject> {
  readonly scope?: InformerScope;
  readonly where?: Predicate<C>;
}

/** An operator as a package exports it: what to install, and what to run. */
export interface Operator {
  readonly name: string;
  /** Manifests of its CRDs. */
  crds(): readonly KubeObject[];
  /** Its own kinds, the ones users write. */
  readonly kinds: readonly Kind[];
  /** What it must be allowed to do in the whole cluster. Absent: it does not say, and has to be run as an administrator. */
  rules?(): readonly PolicyRule[];
  /** Adds its controllers to a manager. */
  setup(manager: Manager): void;
}
