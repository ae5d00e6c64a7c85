import type { Kind, KubeObject } from '@coxswain/k8s';
import type { Actor, ActorOptions } from '../actor/types.ts';
import type { Cache } from '../cache/types.ts';
import type { Client } from '../client/types.ts';
import type { ControllerBuilder } from '../controller/types.ts';
import type { Clock, Logger, Random } from '../core/index.ts';

export interface ManagerOptions {
  /** A client to one API server. The manager wraps it: writes are fenced and feed the stores. */
  readonly client: Client;
  /** Used in events, field managers and the election lease. */
  readonly name: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  /** Absent: no election, this process leads. */
  readonly election?: { readonly namespace: string; readonly lease: string; readonly identity?: string };
  /** Milliseconds for running reconciles to end at shutdown; default 30 000. */
  readonly shutdownTimeout?: number;
}

/** Anything with a life inside a manager. */
export interface Runnable {
  readonly name: string;
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
  actor<T extends KubeObject>(kind: Kind<T>, actor: Actor<T>, options: ActorOptions & { readonly name?: string }): ActorBuilder<T>;
  add(runnable: Runnable): void;
  /** Starts caches, then (when leading) workers. Resolves when the first workers run. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** True when no controller has a key to run now or one being worked. */
  readonly idle: boolean;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Sources of an actor's controller. */
export interface ActorBuilder<T extends KubeObject> extends Omit<ControllerBuilder<T>, 'run' | 'owns' | 'watches' | 'where' | 'scope' | 'options'> {
  owns(...args: Parameters<ControllerBuilder<T>['owns']>): this;
  watches: ControllerBuilder<T>['watches'] extends (...args: infer A) => unknown ? (...args: A) => this : never;
  options(...args: Parameters<ControllerBuilder<T>['options']>): this;
  run(): void;
}

/** An operator as a package exports it: what to install, and what to run. */
export interface Operator {
  readonly name: string;
  /** Manifests of its CRDs. */
  crds(): readonly KubeObject[];
  /** Its own kinds, the ones users write. */
  readonly kinds: readonly Kind[];
  /** Adds its controllers to a manager. */
  setup(manager: Manager): void;
}
