import type { Kind, KubeObject } from '@coxswain/k8s';
import { type Actor, ActorControllerBuilder, type ActorHost, type ActorOptions } from '../actor/index.ts';
import { type Cache, createCache, type OwnWriteSink } from '../cache/index.ts';
import type { Client } from '../client/index.ts';
import {
  Builder,
  type ControllerBuilder,
  type DeclaredController,
  type RunningController,
  RunningReconciles,
} from '../controller/index.ts';
import {
  type Clock,
  checkKind,
  type Logger,
  type Random,
  randomUuid,
  silentLogger,
  systemClock,
  systemRandom,
} from '../core/index.ts';
import { type Elector, LeaseElector } from '../election/index.ts';
import { createRecorder, type EventRecorder } from '../events/index.ts';
import { noMetrics } from '../metrics/index.ts';
import { Sharder } from '../sharding/index.ts';
import { blockMonitor } from './block-monitor.ts';
import { checkManagerOptions, checkRunnable } from './check-options.ts';
import { type Clients, heardClient, managerClients } from './clients.ts';
import { Controllers } from './controllers.ts';
import { LeadershipLost } from './errors.ts';
import type { ManagerState } from './lifecycle.ts';
import { Runnables } from './runnables.ts';
import { settles } from './settles.ts';
import { shardingAdvice } from './sharding-advice.ts';
import type { ActorBuilder, Manager, ManagerOptions, Runnable } from './types.ts';

/**
 * A manager over one API server. Nothing runs, and nothing is watched, before {@link Manager.start}.
 * @throws TypeError for an option that nobody reads or one that is missing, RangeError for a value that makes no sense
 */
export function createManager(options: ManagerOptions): Manager {
  checkManagerOptions(options);
  return new ControllerManager(options);
}

class ControllerManager implements Manager {
  readonly name: string;
  readonly client: Client;
  readonly cache: Cache & OwnWriteSink;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly #options: ManagerOptions;
  readonly #identity: string;
  readonly #elector: Elector | undefined;
  readonly #recorder: EventRecorder;
  readonly #clients: Clients;
  readonly #controllers: Controllers;
  readonly #runnables: Runnables;
  readonly #running: RunningReconciles | undefined;
  /** Settled by a stop, with what was wrong when it was not asked for. */
  readonly #ended = Promise.withResolvers<void>();
  #state: ManagerState = 'new';
  #stopping: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    const { client, name, clock = systemClock, random = systemRandom, log = silentLogger, metrics } = options;
    this.name = name;
    this.clock = clock;
    this.random = random;
    this.log = log;
    this.#options = options;
    this.#controllers = new Controllers(clock, log);
    this.#runnables = new Runnables(clock, log);
    this.#ended.promise.catch(() => {});
    const { blockWarning = clock === systemClock ? 1_000 : false } = options;
    if (blockWarning !== false) {
      this.#running = new RunningReconciles(clock, blockWarning);
      const parts = { clock, log, metrics: metrics ?? noMetrics, running: this.#running, threshold: blockWarning };
      this.#runnables.add(blockMonitor(parts));
    }
    const { namespace } = options;
    const some = { ...(metrics ? { metrics } : {}), ...(namespace ? { namespace } : {}) };
    this.cache = createCache({ client, clock, random, log, ...some });
    const identity = options.election?.identity ?? `${name}-${randomUuid(random)}`;
    this.#identity = identity;
    const electing = { ...options, client: heardClient(client, this.cache) };
    this.#elector = electorFor(electing, identity, { clock, random, log });
    this.#clients = managerClients(client, this.cache, this.#elector);
    this.client = this.#clients.shared;
    const reporter = { controller: name, instance: identity };
    this.#recorder = createRecorder({ client, clock, random, log, reporter });
  }

  get declared(): readonly DeclaredController[] {
    return this.#controllers.declared;
  }

  get state(): ManagerState {
    return this.#state;
  }

  get pending(): readonly string[] {
    return this.#runnables.pending;
  }

  get idle(): boolean {
    return this.#controllers.idle && this.#runnables.idle;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  controller<T extends KubeObject>(kind: Kind<T>, name?: string): ControllerBuilder<T> {
    checkKind('controller', kind);
    const unused = this.#unused(name ?? kind.kind.toLowerCase());
    return new Builder(kind, unused, this.#host(), (controller) => this.#register(controller));
  }

  actor<T extends KubeObject>(
    kind: Kind<T>,
    actor: Actor<T>,
    { name, ...options }: ActorOptions & { readonly name?: string },
  ): ActorBuilder<T> {
    checkKind('actor', kind);
    const unused = this.#unused(name ?? kind.kind.toLowerCase());
    const register = (controller: RunningController) => this.#register(controller);
    return new ActorControllerBuilder(kind, unused, actor, options, this.#host(), register);
  }

  add(runnable: Runnable): void {
    checkRunnable(runnable);
    this.#mustNotBeStopped(`add ${runnable.name}`);
    this.#runnables.add(runnable);
  }

  start(): Promise<void> {
    this.#mustNotBeStopped('start');
    if (this.#state !== 'new')
      throw new Error(`manager ${this.name}: start() was called before; call it once, and wait for what it returned`);
    return this.#startOrEnd();
  }

  stop(): Promise<void> {
    return this.#end(this.#options.shutdownTimeout ?? 30_000);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** A start that fails leaves nothing behind; one that is cut by a stop has not failed. */
  async #startOrEnd(): Promise<void> {
    try {
      await Promise.race([this.#start(), this.#ended.promise]);
    } catch (error) {
      if (!this.#stopping) void this.#end(this.#options.shutdownTimeout ?? 30_000, error);
    }
    if (this.#stopping) await this.#ended.promise;
  }

  async #start(): Promise<void> {
    this.#state = 'starting';
    this.#advise();
    this.#elector?.start();
    void this.#elector?.lost.then(() => this.#lost());
    await this.#controllers.attach();
    await this.#runnables.start(false);
    await this.#controllers.workAlways();
    await Promise.race([this.#elector?.leading, this.#controllers.notServed()]);
    await this.#runnables.start(true);
    this.#state = this.#state === 'starting' ? 'running' : this.#state;
    await this.#controllers.workLeading();
    if (this.#stopping) return;
    this.log.info({ manager: this.name, controllers: this.#controllers.names }, 'controllers run');
  }

  #advise(): void {
    if (!this.#controllers.anySharded) return;
    const led = [...this.#controllers.led, ...this.#runnables.led];
    const advice = shardingAdvice(this.#elector !== undefined, led);
    if (advice) this.log.warn({ manager: this.name }, advice);
  }

  /** @param fault why it ends, when nobody asked for it */
  #end(deadline: number, fault?: unknown): Promise<void> {
    this.#stopping ??= this.#stop(deadline).finally(() => {
      if (fault === undefined) this.#ended.resolve();
      else this.#ended.reject(fault);
    });
    return this.#stopping;
  }

  /**
   * Sources → workers → runnables → lease → events → caches: nobody waits for our last events.
   * @param deadline milliseconds until those who still work are told and left. The lease is given back all the same: no write of theirs
   * is sent without it
   */
  async #stop(deadline: number): Promise<void> {
    this.#state = 'stopping';
    this.#runnables.close();
    const over = this.clock.monotonic() + deadline;
    await this.#controllers.stop(deadline);
    await this.#runnables.stop(new Error(`manager ${this.name} stopped`), over - this.clock.monotonic());
    await this.#elector?.stop();
    await this.#rest('events', this.#recorder.stop(), over);
    await this.#rest('caches', this.cache.stop(), over);
    this.#state = 'stopped';
  }

  /** Nobody needs these any more: a stop that takes too long on them is over all the same. */
  async #rest(what: string, stopped: Promise<void>, over: number): Promise<void> {
    const ended = await settles(this.clock, Math.max(over - this.clock.monotonic(), 1_000), stopped);
    if (!ended) this.log.warn({ manager: this.name }, `the ${what} did not end in time; stopped without them`);
  }

  /** Leadership is gone: nothing may be finished any more, so nothing is waited for. */
  #lost(): void {
    if (this.#state === 'stopping' || this.#state === 'stopped') return;
    this.log.error({ manager: this.name }, 'leadership lost; stopping. Start a new process to take part again');
    void this.#end(0, new LeadershipLost(this.name));
    this.#options.onLost?.();
  }

  #register(controller: RunningController): void {
    this.#mustNotBeStopped(`run ${controller.name}`);
    this.#unused(controller.name);
    this.#controllers.add(controller);
  }

  #host(): ActorHost {
    const { cache, clock, random, log } = this;
    const { client, metrics, tracer } = this.#options;
    const { clientFor } = this.#clients;
    const identity = this.#identity;
    const parts = { clock, random, log, ...(metrics ? { metrics } : {}) };
    return {
      ...parts,
      ...(tracer ? { tracer } : {}),
      ...(this.#running ? { running: this.#running } : {}),
      cache,
      recorder: this.#recorder,
      clientFor,
      sharderFor: (controller, options, handlers) =>
        new Sharder(controller, { ...parts, ...options, client, identity, handlers }),
    };
  }

  /** @throws when a controller of this name is there: metrics, events and field managers would mix them up */
  #unused(name: string): string {
    if (this.#controllers.names.includes(name)) {
      throw new Error(`manager ${this.name} has a controller "${name}" already; give this one another name`);
    }
    return name;
  }

  #mustNotBeStopped(what: string): void {
    if (this.#state !== 'stopping' && this.#state !== 'stopped') return;
    throw new Error(`manager ${this.name}: cannot ${what}, it has been stopped; make a new manager`);
  }
}

function electorFor(
  { election, client, metrics }: ManagerOptions,
  identity: string,
  parts: Pick<Manager, 'clock' | 'random' | 'log'>,
): Elector | undefined {
  if (!election) return undefined;
  const { namespace, lease } = election;
  return new LeaseElector({ client, namespace, lease, identity, ...parts, ...(metrics ? { metrics } : {}) });
}
