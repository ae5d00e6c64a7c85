import type { Kind, KubeObject } from '@coxswain/k8s';
import type { InformerScope } from '../cache/types.ts';
import type { ExternalSource } from './external-source.ts';
import type { ControllerHost } from './host.ts';
import { checkControllerOptions, resolveOptions } from './options.ts';
import { RunningController } from './running-controller.ts';
import { childSource, mappedSource, ownSource, type Source } from './source.ts';
import type {
  Controller,
  ControllerBuilder,
  ControllerOptions,
  DeclaredActor,
  MapToKeys,
  Predicate,
  Reconciler,
} from './types.ts';

/** Where a built controller goes: the manager starts and stops it. */
export type Register = (controller: RunningController) => void;

/** Collects what a controller watches; see {@link ControllerBuilder}. */
export class Builder<T extends KubeObject> implements ControllerBuilder<T> {
  readonly #kind: Kind<T>;
  readonly #name: string;
  readonly #host: ControllerHost;
  readonly #register: Register;
  readonly #others: Source[] = [];
  readonly #external: ExternalSource[] = [];
  #where: Predicate<T> | undefined;
  #scope: InformerScope | undefined;
  #options: ControllerOptions = {};
  #ran = false;

  /** @param name of the controller, in logs, metrics and events */
  constructor(kind: Kind<T>, name: string, host: ControllerHost, register: Register) {
    this.#kind = kind;
    this.#name = name;
    this.#host = host;
    this.#register = register;
  }

  owns<C extends KubeObject>(
    kind: Kind<C>,
    options?: { readonly scope?: InformerScope; readonly where?: Predicate<C> },
  ): this {
    this.#mustNotHaveRun('owns');
    this.#others.push(childSource(this.#kind, kind, options));
    return this;
  }

  watches<C extends KubeObject>(
    kind: Kind<C>,
    options: { readonly map: MapToKeys<C>; readonly scope?: InformerScope; readonly where?: Predicate<C> },
  ): this {
    this.#mustNotHaveRun('watches');
    this.#others.push(mappedSource(kind, options));
    return this;
  }

  from(source: ExternalSource): this {
    this.#mustNotHaveRun('from');
    this.#external.push(source);
    return this;
  }

  where(predicate: Predicate<T>): this {
    this.#mustNotHaveRun('where');
    this.#where = predicate;
    return this;
  }

  scope(scope: InformerScope): this {
    this.#mustNotHaveRun('scope');
    this.#scope = scope;
    return this;
  }

  options(options: ControllerOptions): this {
    this.#mustNotHaveRun('options');
    checkControllerOptions(options, this.#name);
    this.#options = { ...this.#options, ...options };
    return this;
  }

  /** @param actor what the reconciler does besides, when it is the loop of one */
  run(reconciler: Reconciler, actor?: DeclaredActor): Controller {
    this.#mustNotHaveRun('run');
    const own = ownSource(this.#kind, { scope: this.#scope, where: this.#where });
    const controller = new RunningController<T>({
      name: this.#name,
      kind: this.#kind,
      host: this.#host,
      options: resolveOptions(this.#options, this.#name),
      sources: [own, ...this.#others],
      external: this.#external,
      reconciler,
      ...(actor ? { actor } : {}),
    });
    this.#register(controller as unknown as RunningController);
    this.#ran = true;
    return controller;
  }

  /** What comes after `run` would be lost, and a second controller of the name would be in the way of the first. */
  #mustNotHaveRun(what: string): void {
    if (!this.#ran) return;
    const remedy = what === 'run' ? 'a builder makes one controller' : 'call it before';
    throw new Error(`controller ${this.#name}: ${what}() was called after run(); ${remedy}`);
  }
}
