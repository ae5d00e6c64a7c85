import type { Duplex } from 'node:stream';
import type { LifecycleHandler, Pod, Probe } from '@coxswain/k8s';
import type { Clock } from '@coxswain/runtime/core';
import {
  type AnyContainer,
  type ContainerExit,
  type ContainerRuntime,
  type ContainerStart,
  type Living,
  type PodSandbox,
  type ProbeResult,
  type PulledImage,
  type RunningContainer,
  RuntimeRefusal,
} from '../runtime.ts';

/** One run of a container that does what a test says. */
export class TestRun implements RunningContainer {
  readonly id: string;
  readonly name: string;
  readonly startedAt: number;
  exit: ContainerExit | undefined;
  readonly probe?: RunningContainer['probe'];
  readonly hook?: RunningContainer['hook'];
  readonly #start: Omit<ContainerStart, 'image' | 'env'>;
  readonly #runtime: TestRuntime;

  constructor(id: string, start: Omit<ContainerStart, 'image' | 'env'>, runtime: TestRuntime) {
    this.id = id;
    this.name = start.container.name;
    this.startedAt = runtime.clock.now();
    this.#start = start;
    this.#runtime = runtime;
    const { probe, hook } = runtime;
    if (probe) this.probe = (asked, signal) => probe(this, asked, signal);
    if (hook) this.hook = (handler, signal) => hook(this, handler, signal);
  }

  kill(signal: NodeJS.Signals): void {
    if (this.exit) return;
    this.#runtime.note(`${signal} ${this.name}`);
    if (signal === 'SIGKILL') this.end({ exitCode: 137, signal: 9 });
    else if (!this.#runtime.deaf.has(this.name)) this.end({ exitCode: 143, signal: 15 });
  }

  /** It ends by itself. */
  end(how: Omit<ContainerExit, 'at'>): void {
    if (this.exit) return;
    this.exit = { ...how, at: this.#runtime.clock.now() };
    this.#start.onExit(this.exit);
  }

  exec(): Promise<number> {
    return Promise.resolve(0);
  }

  attach(): Promise<void> {
    return Promise.resolve();
  }
}

class TestSandbox implements PodSandbox {
  readonly addresses: readonly [string];
  readonly #runtime: TestRuntime;

  constructor(address: string, runtime: TestRuntime) {
    this.addresses = [address];
    this.#runtime = runtime;
  }

  async setVolume(): Promise<void> {}

  async pullImage({ image = '' }: AnyContainer): Promise<PulledImage> {
    this.#runtime.note(`pull ${image}`);
    const refusal = this.#runtime.images.get(image);
    if (refusal) throw refusal;
    return { id: `sha256:${image}`, fresh: true, size: 7 };
  }

  async start(start: ContainerStart): Promise<RunningContainer> {
    const { name } = start.container;
    const refusal = this.#runtime.refusals.get(name);
    if (refusal) throw refusal;
    return this.#runtime.begin(start);
  }

  adopt(id: string, start: Omit<ContainerStart, 'image' | 'env'>): RunningContainer | undefined {
    return this.#runtime.kept?.(id, start);
  }

  log(): undefined {
    return undefined;
  }

  dial(): Promise<Duplex> {
    return Promise.reject(new Error('nobody listens'));
  }

  async remove(): Promise<void> {
    const { stuck } = this.#runtime;
    this.#runtime.note(stuck ? 'remove in vain' : 'remove');
    if (stuck) throw stuck;
  }
}

/** A runtime that is entirely in the hands of a test, and keeps a journal of what it was asked for. */
export class TestRuntime implements ContainerRuntime {
  readonly version = 'test://1';
  readonly blind = true;
  readonly clock: Clock;
  /** Runs by their start. */
  readonly runs: TestRun[] = [];
  readonly journal: string[] = [];
  /** Images that cannot be had. */
  readonly images = new Map<string, RuntimeRefusal>();
  /** Containers that cannot be started. */
  readonly refusals = new Map<string, RuntimeRefusal>();
  /** Containers that do not hear `SIGTERM`. */
  readonly deaf = new Set<string>();
  probe?: (run: TestRun, probe: Probe, signal: AbortSignal) => Promise<ProbeResult>;
  hook?: (run: TestRun, handler: LifecycleHandler, signal: AbortSignal) => Promise<void>;
  /** What is left of an earlier start. */
  kept?: (id: string, start: Omit<ContainerStart, 'image' | 'env'>) => RunningContainer | undefined;
  sandboxRefusal: RuntimeRefusal | undefined;
  /** Why the places of pods cannot be removed. */
  stuck: Error | undefined;
  /** Why nothing can be swept. */
  unswept: Error | undefined;
  #next = 1;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  note(what: string): void {
    this.journal.push(what);
  }

  begin(start: Omit<ContainerStart, 'image' | 'env'>): TestRun {
    this.note(`start ${start.container.name}`);
    const run = new TestRun(`test://${this.#next++}`, start, this);
    this.runs.push(run);
    return run;
  }

  /** The latest run of a container. @throws Error when there was none */
  run(container = 'main'): TestRun {
    const run = this.runs.findLast(({ name }) => name === container);
    if (!run) throw new Error(`container ${container} has not run`);
    return run;
  }

  async createSandbox(pod: Pod): Promise<PodSandbox> {
    if (this.sandboxRefusal) throw this.sandboxRefusal;
    return new TestSandbox(pod.status?.podIP ?? `10.9.0.${this.#next++}`, this);
  }

  /** Notes how many pods it has been told of. */
  readonly sweep = async ({ pods }: Living): Promise<void> => {
    if (this.unswept) throw this.unswept;
    this.note(`sweep beside ${(await pods()).size}`);
  };

  async close(): Promise<void> {}
}

export function refusal(reason: string, message: string): RuntimeRefusal {
  return new RuntimeRefusal(reason, message);
}
