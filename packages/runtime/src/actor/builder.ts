import { type Kind, type KubeObject, resourceName } from '@coxswain/k8s';
import { ApplyMemory } from '../apply/index.ts';
import type { InformerScope } from '../cache/types.ts';
import {
  annotationsChanged,
  Builder,
  type Controller,
  type ControllerHost,
  type ControllerOptions,
  type ExternalSource,
  generationChanged,
  labelsChanged,
  type MapToKeys,
  or,
  type Predicate,
  type Register,
} from '../controller/index.ts';
import type { EventRecorder } from '../events/index.ts';
import { noMetrics } from '../metrics/index.ts';
import { DependencyWatch } from './dependencies.ts';
import { Expectations } from './expectations.ts';
import { ActorLoop } from './loop.ts';
import { actorMetrics } from './metrics.ts';
import { checkActor, type ResolvedActorOptions, resolveActorOptions } from './options.ts';
import type { Actor, ActorOptions } from './types.ts';

/** What an actor's controller takes from its manager. */
export interface ActorHost extends ControllerHost {
  readonly recorder: EventRecorder;
}

/** Changes of the object that an actor cares about unless told otherwise: not of its status. */
const specChanged: Predicate<KubeObject> = or(generationChanged, labelsChanged, annotationsChanged);

/** Collects the sources of an actor's controller; `run` starts it with the manager. */
export class ActorControllerBuilder<T extends KubeObject> {
  readonly #kind: Kind<T>;
  readonly #name: string;
  readonly #actor: Actor<T>;
  readonly #options: ResolvedActorOptions;
  readonly #host: ActorHost;
  readonly #builder: Builder<T>;
  readonly #owned = new Set<string>();

  constructor(
    kind: Kind<T>,
    name: string,
    actor: Actor<T>,
    options: ActorOptions,
    host: ActorHost,
    register: Register,
  ) {
    checkActor(actor, name);
    this.#kind = kind;
    this.#name = name;
    this.#actor = actor;
    this.#options = resolveActorOptions(options, name);
    this.#host = host;
    this.#builder = new Builder(kind, name, host, register).where(specChanged);
  }

  /** See `ControllerBuilder.owns`. */
  owns<C extends KubeObject>(
    kind: Kind<C>,
    options?: { readonly scope?: InformerScope; readonly where?: Predicate<C> },
  ): this {
    this.#builder.owns(kind, options);
    this.#owned.add(resourceName(kind));
    return this;
  }

  /** See `ControllerBuilder.watches`. */
  watches<C extends KubeObject>(
    kind: Kind<C>,
    options: { readonly map: MapToKeys<C>; readonly scope?: InformerScope; readonly where?: Predicate<C> },
  ): this {
    this.#builder.watches(kind, options);
    return this;
  }

  /** See `ControllerBuilder.from`. */
  from(source: ExternalSource): this {
    this.#builder.from(source);
    return this;
  }

  /** Replaces the default predicate: generation, labels or annotations changed. */
  where(predicate: Predicate<T>): this {
    this.#builder.where(predicate);
    return this;
  }

  scope(scope: InformerScope): this {
    this.#builder.scope(scope);
    return this;
  }

  options(options: ControllerOptions): this {
    this.#builder.options(options);
    return this;
  }

  run(): Controller {
    const [host, options] = [this.#host, this.#options];
    for (const kind of this.#actor.owns ?? []) if (!this.#owned.has(resourceName(kind))) this.owns(kind);
    host.cache.keepAppliedFields(options.fieldManager);
    const dependencies = new DependencyWatch(host.cache, (key) => controller.enqueue(key));
    const loop = new ActorLoop<T>({
      kind: this.#kind,
      actor: this.#actor,
      options,
      fieldManager: options.fieldManager,
      recorder: host.recorder,
      memory: new ApplyMemory(),
      expectations: new Expectations(),
      observer: actorMetrics(host.metrics ?? noMetrics, this.#name),
      dependencies,
      ...(host.tracer ? { tracer: host.tracer } : {}),
    });
    const { statusSubresource } = options;
    const dependsOn = this.#actor.dependsOn ?? (this.#actor.dependencies ? undefined : []);
    const controller = this.#builder.run(loop, { statusSubresource, ...(dependsOn ? { dependsOn } : {}) });
    return controller;
  }
}
