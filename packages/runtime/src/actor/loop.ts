import type { KubeObject } from '@coxswain/k8s';
import type { Tracer } from '@opentelemetry/api';
import { addFinalizer, hasFinalizer, removeFinalizer } from '../apply/index.ts';
import { findSame } from '../client/index.ts';
import type { ReconcileContext, Reconciler, Result } from '../controller/index.ts';
import { isConflict, keyString, messageOf, type ObjectKey } from '../core/index.ts';
import { inSpan } from '../tracing/index.ts';
import { actorContext, type ContextParts } from './context.ts';
import { checkDependencies, type DependencyWatch } from './dependencies.ts';
import { StatusDraft, syncedType } from './draft.ts';
import { countingEffects, type Effects } from './effects.ts';
import { HeldStatuses } from './held-status.ts';
import type { ActionResult, ActorObserver } from './metrics.ts';
import type { ResolvedActorOptions } from './options.ts';
import { outcomeOfError, type PassOutcome, shortfall, type Verb } from './outcome.ts';
import { loopAfter, Repeats } from './repeats.ts';
import { Resync } from './resync.ts';
import { StatusWriter } from './status-writer.ts';
import type { Action, Actor, ActorContext } from './types.ts';

/** Steps of one pass; then other objects get their turn. */
const maxSteps = 10;
/** Milliseconds between looks at an object of which it is not sure what its status says. */
const untilSeen = 1_000;

export interface LoopParts<T extends KubeObject> extends ContextParts<T> {
  readonly actor: Actor<T>;
  readonly options: ResolvedActorOptions;
  readonly observer: ActorObserver;
  readonly dependencies: DependencyWatch;
  /** Makes each action a span; absent: none is made. */
  readonly tracer?: Tracer;
}

/** One pass over one object. */
interface Pass<T extends KubeObject> extends ReconcileContext {
  readonly effects: Effects;
  /** As it was when the pass began: what the draft is computed from, with what waits to be written. */
  readonly base: T;
  readonly draft: StatusDraft<T>;
  /** Milliseconds after which it is looked at again at the latest. */
  readonly looks: number[];
}

/** Runs an {@link Actor}; the picture is in this room's README. */
export class ActorLoop<T extends KubeObject> implements Reconciler {
  readonly #parts: LoopParts<T>;
  readonly #repeats = new Repeats();
  readonly #held: HeldStatuses<T>;
  readonly #statuses: StatusWriter<T>;

  constructor(parts: LoopParts<T>) {
    this.#parts = parts;
    this.#held = new HeldStatuses(parts.options.statusDelay);
    const { statusSubresource: subresource } = parts.options;
    this.#statuses = new StatusWriter(parts.kind, { subresource, fieldManager: parts.fieldManager });
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const base = context.cache.store(this.#parts.kind).get(context.key);
    if (!base) {
      this.forget(context.key);
      return undefined;
    }
    const effects = countingEffects(context.client, context.cache);
    const draft = new StatusDraft(
      this.#held.over(keyString(context.key), base),
      context.clock,
      this.#parts.options.statusSubresource,
    );
    const pass = { ...context, client: effects.client, effects, base, draft, looks: [] };
    if (base.metadata.deletionTimestamp) return this.#finalize(pass);
    const outcome = await this.#attempt(pass, () => this.#live(pass));
    return this.#conclude(pass, outcome, 'Reconcile');
  }

  stop(): void {
    this.#parts.dependencies.stop();
    this.#held.clear();
    this.#statuses.clear();
  }

  forget(key: ObjectKey): void {
    this.#repeats.forget(keyString(key));
    this.#held.forget(keyString(key));
    this.#statuses.forget(key);
    this.#parts.expectations.forget(keyString(key));
    this.#parts.dependencies.set(key, []);
  }

  async #attempt(pass: Pass<T>, run: () => Promise<PassOutcome>): Promise<PassOutcome> {
    try {
      return await run();
    } catch (error) {
      // Stopped, out of time, or the lease is lost: whatever would be written now would be refused or too late.
      if (pass.signal.aborted) throw pass.signal.reason;
      return outcomeOfError(error, this.#parts.options.retryAfter);
    }
  }

  /** deleting → there still → finalize → our finalizer goes. */
  async #finalize(pass: Pass<T>): Promise<Result> {
    const { kind, actor, options, fieldManager } = this.#parts;
    if (!hasFinalizer(pass.base, options.finalizer)) {
      this.forget(pass.key);
      return undefined;
    }
    const outcome = await this.#attempt(pass, async () => {
      // What is found by its name could be that of the next object of this name, of which nothing is known here yet.
      if (!(await findSame(pass.client, kind, pass.base, pass.signal)))
        return { type: 'over', again: options.retryAfter };
      const done = await actor.finalize(this.#context(pass, pass.base));
      if (!done) return { type: 'reconciling', after: options.retryAfter };
      const current = this.#current(pass) ?? pass.base;
      await removeFinalizer(pass.client, kind, current, options.finalizer, { fieldManager, signal: pass.signal });
      this.forget(pass.key);
      return { type: 'over' };
    });
    return this.#conclude(pass, outcome, 'Finalize');
  }

  /** alive → dependencies → finalizer → observe and act, until there is nothing to do. */
  async #live(pass: Pass<T>): Promise<PassOutcome> {
    const { kind, actor, options, dependencies, fieldManager } = this.#parts;
    const needed = actor.dependencies?.(pass.base) ?? [];
    checkDependencies(kind, needed, actor.dependsOn);
    dependencies.set(pass.key, needed);
    const missing = await dependencies.missing(needed, pass.client);
    if (missing !== undefined) {
      const message = `waiting: ${missing}`;
      return { type: 'waiting', reason: 'DependencyNotReady', message, after: options.retryAfter };
    }
    let object: T | undefined = pass.base;
    if (!hasFinalizer(object, options.finalizer)) {
      object = await addFinalizer(pass.client, kind, object, options.finalizer, { fieldManager, signal: pass.signal });
    }
    let idle: string | undefined;
    for (let step = 0; step < maxSteps; step++) {
      // Gone for the server; the store may not know yet, so that looking at once could find it again.
      if (!object) return { type: 'over', again: options.retryAfter };
      if (object.metadata.deletionTimestamp) return { type: 'over', again: 0 };
      const awaited = this.#awaited(pass, object);
      if (awaited) return awaited;
      pass.draft.see(object);
      const context = this.#context(pass, object);
      const action = await actor.observe(context);
      if (!action) {
        this.#repeats.forget(keyString(pass.key));
        return { type: 'synced' };
      }
      // It ran just now, changed nothing we could see, and is asked for again: its effect takes time.
      if (action.name === idle) return this.#idled(pass, action);
      idle = (await this.#act(pass, context, action)) === 'idle' ? action.name : undefined;
      if (idle === undefined) this.#repeats.forget(keyString(pass.key));
      object = this.#current(pass);
    }
    return { type: 'reconciling', after: options.retryAfter };
  }

  /** What `ctx.expect` said must be seen first; those whose time is up are told, and not waited for any more. */
  #awaited(pass: Pass<T>, object: T): PassOutcome | undefined {
    const { expectations, recorder, kind } = this.#parts;
    const key = keyString(pass.key);
    const { name, after, timedOut } = expectations.awaited(key, object.metadata.uid ?? '', pass.clock.monotonic());
    for (const late of timedOut) {
      const message = `not seen in time: ${late}`;
      recorder.event(kind, object, { type: 'Warning', reason: 'ExpectationTimedOut', message, action: 'Reconcile' });
    }
    return name === undefined
      ? undefined
      : { type: 'waiting', reason: 'Expecting', message: `expects: ${name}`, after };
  }

  async #act(pass: Pass<T>, context: ActorContext<T>, action: Action<T>): Promise<ActionResult> {
    const { clock, log, effects, signal } = pass;
    const began = clock.monotonic();
    const before = effects.count;
    let result: ActionResult = 'error';
    log.debug({ action: action.name }, 'action');
    try {
      await this.#run(action, context);
      signal.throwIfAborted();
      result = effects.count > before ? 'success' : 'idle';
    } catch (error) {
      if (error instanceof Resync) result = 'wait';
      throw error;
    } finally {
      this.#parts.observer.action(action.name, result, clock.monotonic() - began);
    }
    return result;
  }

  #run(action: Action<T>, context: ActorContext<T>): Promise<void> {
    const { tracer } = this.#parts;
    if (!tracer) return action.run(context);
    const attributes = { 'coxswain.action': action.name };
    return inSpan(tracer, `action ${action.name}`, { attributes }, () => action.run(context));
  }

  #idled(pass: Pass<T>, { name }: Action<T>): PassOutcome {
    const { retryAfter } = this.#parts.options;
    const count = this.#repeats.idle(keyString(pass.key), name);
    const after = this.#repeats.pause(count, retryAfter);
    if (count < loopAfter) return { type: 'reconciling', after };
    this.#parts.observer.loop(name);
    const message = `action ${name} ran ${loopAfter} times or more and changed nothing; next try in ${after / 1000}s or more`;
    return {
      type: 'looping',
      message: count === loopAfter ? message : (pass.draft.before(syncedType)?.message ?? message),
      after,
      first: count === loopAfter,
    };
  }

  #context(pass: Pass<T>, object: T): ActorContext<T> {
    return actorContext(this.#parts, pass, object, pass.draft);
  }

  /** The object as the store has it now, our own writes included; `undefined` when it is gone or was replaced. */
  #current({ cache, key, base }: Pass<T>): T | undefined {
    const object = cache.store(this.#parts.kind).get(key);
    return object?.metadata.uid === base.metadata.uid ? object : undefined;
  }

  /** Says how the pass ended, in condition, events and status, and when to look again. */
  async #conclude(pass: Pass<T>, outcome: PassOutcome, verb: Verb): Promise<Result> {
    if (outcome.type === 'over') return outcome.again === undefined ? undefined : { requeueAfter: outcome.again };
    if (this.#parts.options.syncedCondition) this.#setSynced(pass.draft, outcome, verb);
    if (verb === 'Reconcile') this.#setOutdated(pass.draft, outcome);
    this.#tell(pass, outcome, verb);
    // A failure is told at once: the next look may be far away.
    const wait = outcome.type === 'failed' ? 0 : this.#hold(pass);
    const written = wait > 0 || (await this.#writeStatus(pass, outcome));
    if (outcome.type === 'failed') throw outcome.error;
    const { looks } = pass;
    const next = written ? this.#nextLook(pass, outcome) : this.#parts.options.retryAfter;
    if (next !== undefined) looks.push(next);
    if (wait > 0) looks.push(wait);
    if (this.#statuses.isUnsure(pass.key)) looks.push(untilSeen);
    return looks.length === 0 ? undefined : { requeueAfter: Math.min(...looks) };
  }

  /** Milliseconds until the object is looked at again; `undefined`: when something changes. */
  #nextLook({ draft }: Pass<T>, outcome: Exclude<PassOutcome, { type: 'over' | 'failed' }>): number | undefined {
    if (outcome.type !== 'synced') return outcome.after;
    const settled = !draft.actorSynced || draft.get(syncedType)?.status === 'True';
    const { resyncAfter, retryAfter } = this.#parts.options;
    return settled ? resyncAfter : retryAfter;
  }

  /** Milliseconds that the status may wait for more to be said; 0: it is written now. */
  #hold({ base, clock, draft, key }: Pass<T>): number {
    return this.#held.hold(keyString(key), base, draft.fields, clock.monotonic());
  }

  #setSynced(draft: StatusDraft<T>, outcome: PassOutcome, verb: Verb): void {
    // An actor's own word is overruled only where it could not know better.
    if (draft.actorSynced && outcome.type !== 'failed' && outcome.type !== 'looping') return;
    const short = shortfall(outcome, verb);
    if (short) draft.set(syncedType, 'False', short.reason, short.message);
    else if (outcome.type === 'synced') draft.set(syncedType, 'True', 'ReconcileSuccess', 'the object is synced');
  }

  /** What the actor's conditions say of an older generation is not known of this one. */
  #setOutdated(draft: StatusDraft<T>, outcome: PassOutcome): void {
    const short = shortfall(outcome, 'Reconcile');
    if (!short) return;
    for (const type of this.#parts.actor.conditions ?? []) {
      if (draft.isCurrent(type)) continue;
      draft.set(type, 'Unknown', short.reason, short.message);
    }
  }

  #tell({ base, draft }: Pass<T>, outcome: PassOutcome, verb: Verb): void {
    const { kind, recorder, options } = this.#parts;
    if (outcome.type === 'failed') {
      const message = messageOf(outcome.error);
      recorder.event(kind, base, { type: 'Warning', reason: `${verb}Fail`, message, action: verb });
    }
    if (outcome.type === 'looping' && outcome.first) {
      recorder.event(kind, base, { type: 'Warning', reason: 'ActionLoop', message: outcome.message, action: verb });
    }
    if (outcome.type !== 'synced' || !options.syncedCondition) return;
    const [before, after] = [draft.before(syncedType), draft.get(syncedType)];
    const news = before?.status !== after?.status || before?.observedGeneration !== after?.observedGeneration;
    if (news && after?.status === 'True') {
      recorder.event(kind, base, { reason: 'ReconcileSuccess', message: 'the object is synced', action: verb });
    }
  }

  /** @returns false when others kept changing the object, so that the next pass must write */
  async #writeStatus(pass: Pass<T>, outcome: PassOutcome): Promise<boolean> {
    const { base, client, draft, key, log, signal } = pass;
    const current = this.#current(pass);
    if (!current) return true;
    try {
      await this.#statuses.write({ client, base, current, fields: draft.fields, signal });
      this.#held.forget(keyString(key));
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      if (outcome.type !== 'failed') throw error;
      log.warn({ err: error }, 'the status of a failed pass could not be written');
      return true;
    }
  }
}
