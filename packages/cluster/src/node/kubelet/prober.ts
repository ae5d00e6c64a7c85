import type { Container, Probe } from '@coxswain/k8s';
import type { Clock, Timer } from '@coxswain/runtime/core';
import type { ProbeResult, RunningContainer } from '../runtime.ts';

export type ProbeSort = 'Startup' | 'Liveness' | 'Readiness';

export interface ProberOptions {
  readonly clock: Clock;
  readonly container: Container;
  readonly run: RunningContainer;
  /** Something is different from before: started, ready or unhealthy. */
  readonly onChange: () => void;
  /** A single answer that is worth an event. */
  readonly tell: (reason: 'Unhealthy' | 'ProbeWarning', message: string) => void;
}

/**
 * Milliseconds after which a container that was not ready at its start is asked again, whatever the period of its probe: kubelets learn
 * within a second that a container runs, and ask whoever is not ready whenever they look at a pod.
 */
const secondLook = 1000;

type ProbeFunction = NonNullable<RunningContainer['probe']>;

/** Asks one probe again and again, and counts its answers. */
class ProbeLoop {
  readonly #options: ProberOptions;
  readonly #sort: ProbeSort;
  readonly #probe: Probe;
  readonly #ask: ProbeFunction;
  readonly #onResult: (ok: boolean) => void;
  readonly #stopped = new AbortController();
  #timer: Timer | undefined;
  #last: boolean | undefined;
  #same = 0;
  /** Asked once so far, at most. */
  #isNew = true;

  constructor(
    options: ProberOptions,
    sort: ProbeSort,
    probe: Probe,
    ask: ProbeFunction,
    onResult: (ok: boolean) => void,
  ) {
    this.#options = options;
    this.#sort = sort;
    this.#probe = probe;
    this.#ask = ask;
    this.#onResult = onResult;
    const { clock, run } = options;
    const begin = run.startedAt + (probe.initialDelaySeconds ?? 0) * 1000;
    this.#timer = clock.after(Math.max(0, begin - clock.now()), () => void this.#turn());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#stopped.abort();
  }

  async #turn(): Promise<void> {
    const { clock } = this.#options;
    const began = clock.monotonic();
    const result = await this.#once();
    if (this.#stopped.signal.aborted) return;
    // Who could not be asked is as it was.
    if (result.note !== 'error') this.#count(result.ok);
    if (this.#stopped.signal.aborted) return;
    const next = Math.max(0, began + this.#pause(result.ok) - clock.monotonic());
    this.#timer = clock.after(next, () => void this.#turn());
  }

  /** Milliseconds to the next time. */
  #pause(ok: boolean): number {
    const { initialDelaySeconds = 0, periodSeconds = 10 } = this.#probe;
    const period = periodSeconds * 1000;
    const again = this.#sort === 'Readiness' && !ok && this.#isNew && initialDelaySeconds === 0;
    this.#isNew = false;
    return again ? Math.min(period, secondLook) : period;
  }

  async #once(): Promise<ProbeResult> {
    const { clock, tell } = this.#options;
    const sort = this.#sort;
    const limit = new AbortController();
    const stop = () => limit.abort();
    const timer = clock.after((this.#probe.timeoutSeconds ?? 1) * 1000, stop);
    this.#stopped.signal.addEventListener('abort', stop, { once: true });
    const result = await this.#ask(this.#probe, limit.signal).catch(
      (error: unknown): ProbeResult => ({
        ok: false,
        output: String(error),
        ...(limit.signal.aborted ? {} : { note: 'error' }),
      }),
    );
    timer.cancel();
    this.#stopped.signal.removeEventListener('abort', stop);
    if (this.#stopped.signal.aborted) return result;
    const { ok, output, note } = result;
    if (note === 'error') tell('Unhealthy', `${sort} probe errored and resulted in unknown state: ${output}`);
    else if (note === 'warning') tell('ProbeWarning', `${sort} probe warning: ${output}`);
    else if (!ok) tell('Unhealthy', `${sort} probe failed: ${output}`);
    return result;
  }

  #count(ok: boolean): void {
    this.#same = ok === this.#last ? this.#same + 1 : 1;
    this.#last = ok;
    const wanted = ok ? (this.#probe.successThreshold ?? 1) : (this.#probe.failureThreshold ?? 3);
    if (this.#same >= wanted) this.#onResult(ok);
  }
}

/**
 * How one run of a container is, by its probes: the startup probe first, the others once it has succeeded. Without probes, or where
 * containers are not asked, it is started and ready at once.
 */
export class Prober {
  readonly #options: ProberOptions;
  #loops: ProbeLoop[] = [];
  #started = true;
  #ready = true;
  #unhealthy: { readonly sort: ProbeSort; readonly probe: Probe } | undefined;

  constructor(options: ProberOptions) {
    this.#options = options;
    const { startupProbe, readinessProbe } = options.container;
    const ask = options.run.probe;
    if (!ask) return;
    this.#ready = readinessProbe === undefined;
    if (startupProbe) this.#awaitStart(startupProbe, ask);
    else this.#watch(ask);
  }

  get started(): boolean {
    return this.#started;
  }

  get ready(): boolean {
    return this.#started && this.#ready;
  }

  /** The probe that says that the container is to be restarted. */
  get unhealthy(): { readonly sort: ProbeSort; readonly probe: Probe } | undefined {
    return this.#unhealthy;
  }

  stop(): void {
    for (const loop of this.#loops.splice(0)) loop.stop();
  }

  #awaitStart(probe: Probe, ask: ProbeFunction): void {
    this.#started = false;
    this.#loop('Startup', probe, ask, (ok) => {
      this.stop();
      if (!ok) return this.#fail('Startup', probe);
      this.#started = true;
      this.#watch(ask);
      this.#options.onChange();
    });
  }

  #watch(ask: ProbeFunction): void {
    const { livenessProbe, readinessProbe } = this.#options.container;
    if (livenessProbe)
      this.#loop('Liveness', livenessProbe, ask, (ok) => {
        if (!ok) this.#fail('Liveness', livenessProbe);
      });
    if (readinessProbe)
      this.#loop('Readiness', readinessProbe, ask, (ok) => {
        if (ok === this.#ready) return;
        this.#ready = ok;
        this.#options.onChange();
      });
  }

  #loop(sort: ProbeSort, probe: Probe, ask: ProbeFunction, onResult: (ok: boolean) => void): void {
    this.#loops.push(new ProbeLoop(this.#options, sort, probe, ask, onResult));
  }

  #fail(sort: ProbeSort, probe: Probe): void {
    this.stop();
    this.#unhealthy = { sort, probe };
    this.#options.onChange();
  }
}
