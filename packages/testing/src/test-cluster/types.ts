import type { Kind, KubeObject } from '@coxswain/k8s';
import type { RbacRules } from '@coxswain/runtime/apply';
import type { Client, Transport } from '@coxswain/runtime/client';
import type { Clock, Logger, ObjectKey, Random } from '@coxswain/runtime/core';
import type { Manager, ManagerOptions } from '@coxswain/runtime/manager';
import type { Server } from './options.ts';

/** Which server a world stands on, and how its time passes; all of it optional. */
export interface TestClusterOptions {
  /** Which server; default: what the environment variable `COX_SERVER` says (`embedded` or `real`), else `embedded`. */
  readonly server?: Server;
  /**
   * Default: the machine's. With a `VirtualClock` everything runs in virtual time, in this process; the real server cannot do that, so
   * the test runs on the embedded one whatever the environment says.
   */
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: says nothing; see {@link TestCluster.troubles}. */
  readonly log?: Logger;
  /** Reach the embedded server over HTTPS on loopback instead of in process; default false. The real one is always reached so. */
  readonly http?: boolean;
  /**
   * Embedded only: run the built-in controllers, the scheduler and a simulated node; default false, as the real server here has none
   * either.
   */
  readonly controlPlane?: boolean;
  /** Embedded only: the kinds of OpenKruise too, and with `controlPlane` their controllers; default false. */
  readonly kruise?: boolean;
}

/** How long is waited, and for what. */
export interface WaitOptions {
  /** Milliseconds of the world's clock; default 30 000. */
  readonly timeout?: number;
  /** Named in the error when it does not come to be. */
  readonly what?: string;
}

/** How a manager of the world is made: as {@link ManagerOptions}, all of it optional. */
export type ManagerSetup = Partial<Omit<ManagerOptions, 'client'>> & {
  /** Default: one of the world's own. Give one to put something between the manager and the server. */
  readonly transport?: Transport;
};

/** A server with nothing of the test's in it, the managers that run on it, and ways to wait without sleeping. */
export interface TestCluster extends AsyncDisposable {
  readonly server: Server;
  /** As an administrator. */
  readonly client: Client;
  readonly clock: Clock;
  /** An API group that no other test uses; give it to the kinds that the test defines. */
  readonly group: string;
  /** A namespace that no other test uses; it exists. */
  readonly namespace: string;
  /**
   * One more connection to the server: its own sockets over HTTP. Closed at the end. As an administrator; with `rules` as a user who may
   * do what they say, and nothing else.
   */
  transport(options?: { readonly rules?: RbacRules }): Promise<Transport>;
  /** YAML, for programs outside. @throws when the embedded server was started without `http` */
  kubeconfig(): string;
  /** A manager on this server; stopped at the end, before the server. Its name is `operator`, unless given. */
  manager(setup?: ManagerSetup): Promise<Manager>;
  /**
   * What its managers have warned of or reported as errors, the ten latest, as lines: which pass failed, for which object, and why. A
   * retry is due later, so {@link settled} does not wait for it: `expect(world.troubles).toEqual([])` tells what is in the way of a test.
   * The errors of waits that fail show them too.
   */
  readonly troubles: readonly string[];
  /**
   * Resolves when nothing is left to do: every manager made here is idle, its informers have seen what the server has now, and nobody
   * wrote meanwhile. Work that is due later (`requeueAfter`, a retry after an error) does not count.
   * In virtual time it moves the clock on as far as needed.
   * @throws TestTimeout saying who is busy or behind, and of which {@link troubles} the managers told
   */
  settled(options?: WaitOptions): Promise<void>;
  /**
   * Asks again and again until `check` neither throws nor answers `false`; answers what it answered. For what happens outside: where an
   * object says it, {@link until} is exact and cheaper.
   * @throws TestTimeout with the last error as its cause
   */
  eventually<R>(check: () => R | Promise<R>, options?: WaitOptions): Promise<Exclude<R, false>>;
  /**
   * Watches one object until `holds`; `undefined` stands for an object that is not there. Answers the object for which it held.
   * @throws TestTimeout with the object as last seen
   */
  until<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey,
    holds: (object: T | undefined) => boolean,
    options?: WaitOptions,
  ): Promise<T | undefined>;
  /** Makes the server forget its past: older watches and continue tokens get 410. */
  compact(): Promise<void>;
  /** Stops the managers, then the server (a shared real one goes on). May be called twice. */
  stop(): Promise<void>;
}
