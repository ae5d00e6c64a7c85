import type { Kind, KubeObject } from '@coxswain/k8s';
import type { Cache } from '../cache/types.ts';
import { ApiError, type Logger, parseKey, type Timer } from '../core/index.ts';
import type { Elector } from '../election/index.ts';
import type { Outcome, Taken, WorkQueue } from '../queue/index.ts';
import { inSpan, recordError } from '../tracing/index.ts';
import { ControllerStopped, ReconcileTimeout } from './errors.ts';
import type { ControllerHost } from './host.ts';
import type { ControllerObserver, ReconcileResult } from './metrics.ts';
import type { ResolvedOptions } from './options.ts';
import { type Ended, reconcileAttributes } from './trace.ts';
import type { Reconciler, Result } from './types.ts';
import { Work } from './work.ts';

/** What the passes of one controller share. */
export interface PassParts {
  readonly name: string;
  readonly kind: Kind<KubeObject>;
  readonly host: ControllerHost;
  /** As the controller reads it. */
  readonly cache: Cache;
  readonly options: ResolvedOptions;
  readonly reconciler: Reconciler;
  readonly queue: WorkQueue;
  readonly observer: ControllerObserver;
  readonly log: Logger;
}

/** Milliseconds that an aborted reconcile has to end before it is given up. */
const abortGrace = 1_000;

/** The reconciles of one controller: each with its client, its signal, its timeout and its end. */
export class Passes {
  readonly #parts: PassParts;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** What is being worked, by key. */
  readonly #works = new Map<string, Work>();

  constructor(parts: PassParts) {
    this.#parts = parts;
  }

  /** What is being worked for a key. */
  workOf(key: string): Work | undefined {
    return this.#works.get(key);
  }

  /** Resolves when none of the keys that are worked now, and that `concerns` picks, is worked any more. */
  async ended(concerns: (key: string) => boolean): Promise<void> {
    const works = [...this.#works].filter(([key]) => concerns(key));
    await Promise.all(works.map(([, work]) => work.ended));
  }

  /** Whether no more may begin. */
  get stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Waits for those that run, at most `deadline` milliseconds, then aborts them. */
  async stop(deadline: number): Promise<void> {
    if (this.#running.size > 0 && deadline > 0) await this.#settled(deadline);
    this.#stop.abort(new ControllerStopped(this.#parts.name));
    if (this.#running.size > 0) await this.#settled(abortGrace);
    for (const [key, { waitingFor }] of this.#works) {
      this.#parts.log.error({ key, waitingFor }, 'reconcile has not ended although it was aborted; it is left');
    }
  }

  async #settled(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#parts.host.clock.after(ms, resolve);
    await Promise.race([promise, Promise.allSettled(this.#running)]);
    timer.cancel();
  }

  /**
   * One reconcile. Resolves when it has ended or has ignored its abort for a while: then the worker goes on, but the
   * key stays taken until the reconcile really ends, so that no key is ever worked twice at once.
   * @param lead of the key's shard: fences its writes, and aborts it when lost
   */
  run(taken: Taken, lead: Elector | undefined): Promise<void> {
    const { name, host, options, observer, log } = this.#parts;
    const abort = new AbortController();
    const released = Promise.withResolvers<void>();
    const onStop = () => abort.abort(this.#stop.signal.reason);
    if (this.#stop.signal.aborted) onStop();
    else this.#stop.signal.addEventListener('abort', onStop, { once: true });
    const onLost = () => abort.abort(lead?.signal.reason);
    lead?.signal.addEventListener('abort', onLost, { once: true });
    let grace: Timer | undefined;
    const timer = host.clock.after(options.timeout, () => {
      observer.timedOut();
      abort.abort(new ReconcileTimeout(name, taken.key, options.timeout, this.#works.get(taken.key)?.waitingFor));
      grace = host.clock.after(abortGrace, () => {
        log.error({ key: taken.key }, 'reconcile ignores its abort signal; its key stays blocked until it ends');
        released.resolve();
      });
    });
    const work = this.#traced(taken, abort.signal, lead).finally(() => {
      timer.cancel();
      grace?.cancel();
      this.#stop.signal.removeEventListener('abort', onStop);
      lead?.signal.removeEventListener('abort', onLost);
      this.#running.delete(work);
      released.resolve();
    });
    this.#running.add(work);
    return released.promise;
  }

  /** The reconcile; a trace of its own when there is a tracer, since many things may have made it due. */
  async #traced(taken: Taken, signal: AbortSignal, lead: Elector | undefined): Promise<void> {
    const { name, kind, host } = this.#parts;
    const { tracer } = host;
    if (!tracer) {
      await this.#reconcile(taken, signal, lead);
      return;
    }
    const attributes = reconcileAttributes(name, kind, taken);
    await inSpan(tracer, `reconcile ${name}`, { attributes, root: true }, async (span) => {
      const { result, error } = await this.#reconcile(taken, signal, lead);
      span.setAttribute('coxswain.result', result);
      if (result === 'error') recordError(span, error);
    });
  }

  /** Never rejects: how it ended is what it answers. */
  async #reconcile(taken: Taken, signal: AbortSignal, lead: Elector | undefined): Promise<Ended> {
    const { host, cache, reconciler, options, queue, observer, log } = this.#parts;
    const started = host.clock.monotonic();
    const work = new Work(taken.key, host.clock, (lane) => queue.add(taken.key, lane));
    this.#works.set(taken.key, work);
    observer.began();
    const over = host.running?.began(this.#parts.name, taken.key);
    let outcome: Outcome;
    let result: ReconcileResult;
    let cause: unknown;
    try {
      const key = parseKey(taken.key);
      const answer = await reconciler.reconcile({
        key,
        client: host.clientFor({ signal, leaderOnly: options.leaderOnly, work, ...(lead ? { lead } : {}) }),
        cache,
        clock: host.clock,
        log: log.child({ key: taken.key }),
        signal,
      });
      if (signal.aborted) throw signal.reason;
      outcome = outcomeOf(answer ?? undefined);
      result = outcome === 'ok' ? 'success' : 'requeue_after';
    } catch (error) {
      cause = signal.aborted ? signal.reason : error;
      outcome = this.#failed(taken, error, cause);
      result = 'error';
    }
    over?.();
    this.#works.delete(taken.key);
    work.end();
    observer.ended(result, host.clock.monotonic() - started);
    queue.done(taken.key, outcome);
    return { result, error: cause };
  }

  #failed(taken: Taken, error: unknown, cause: unknown): Outcome {
    if (!(cause instanceof ControllerStopped)) {
      this.#parts.log.error(
        { key: taken.key, failures: taken.failures + 1, err: cause },
        'reconcile failed; it is retried',
      );
    }
    const atLeast = error instanceof ApiError ? error.retryAfter : undefined;
    return atLeast === undefined ? 'failed' : { failed: true, atLeast };
  }
}

/** @throws RangeError for a delay that is no number: taken as none, it would run the key again and again without a pause */
function outcomeOf(answer: Result): Outcome {
  if (!answer) return 'ok';
  if (Number.isFinite(answer.requeueAfter)) return { after: answer.requeueAfter };
  throw new RangeError(`reconcile answered requeueAfter ${answer.requeueAfter}; give milliseconds, or nothing`);
}
