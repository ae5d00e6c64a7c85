import type { Container, Probe } from '@coxswain/k8s';
import { type Clock, type Random, randomUuid, type Timer } from '@coxswain/runtime/core';
import type { CommandStreams } from '../../apiserver/index.ts';
import { ContainerLog } from '../container-log.ts';
import type { ContainerExit, ContainerStart, ProbeResult, RunningContainer } from '../runtime.ts';
import type { ContainerBehaviour, Stretch } from './behaviour.ts';
import type { SimulatedProgram } from './programs.ts';

/** Exit code of a command that is there but cannot be run, as shells have it. */
const cannotExecute = 126;

export interface SimulatedContainerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly behaviour: ContainerBehaviour;
  readonly program: SimulatedProgram | undefined;
  /** A run that goes on from before. */
  readonly known?: { readonly id: string; readonly startedAt: number };
}

function isIn([from, until, every]: Stretch, since: number): boolean {
  const at = every !== undefined && since >= from ? from + ((since - from) % every) : since;
  return at >= from && at < until;
}

/** One run of a container that runs no program: it ends by rule, and shows what its stand-in shows. What nobody looks at is not made. */
export class SimulatedContainer implements RunningContainer {
  readonly id: string;
  readonly startedAt: number;
  exit: ContainerExit | undefined;
  readonly probe?: RunningContainer['probe'];
  readonly program: SimulatedProgram | undefined;
  readonly #start: Omit<ContainerStart, 'image' | 'env'>;
  readonly #options: SimulatedContainerOptions;
  readonly #ended: AbortController | undefined;
  #timer: Timer | undefined;
  #log: ContainerLog | undefined;

  constructor(start: Omit<ContainerStart, 'image' | 'env'>, options: SimulatedContainerOptions) {
    const { clock, random, behaviour, program, known } = options;
    this.id = known?.id ?? `simulated://${randomUuid(random).replaceAll('-', '')}`;
    this.startedAt = known?.startedAt ?? clock.now();
    this.program = program;
    this.#start = start;
    this.#options = options;
    const { probes } = behaviour;
    if (probes) this.probe = async (probe) => this.#answer(probes, probe);
    if (program) {
      this.#ended = new AbortController();
      this.#startProgram(program, this.#ended.signal);
    }
    if (behaviour.kind === 'ends') this.#endAfter(behaviour);
  }

  get log(): ContainerLog {
    if (this.#log) return this.#log;
    const { clock } = this.#options;
    const log = new ContainerLog(this.program ? () => clock.now() : () => this.startedAt);
    if (!this.program) log.write(`${this.#who} is simulated: no program runs in it\n`);
    if (this.exit) log.end();
    this.#log = log;
    return log;
  }

  kill(signal: NodeJS.Signals): void {
    const { behaviour } = this.#options;
    if (signal === 'SIGKILL') this.#end({ exitCode: 137 });
    else if (!behaviour.ignoresSigterm)
      this.#endIn(behaviour.stopDelay ?? 0, { exitCode: behaviour.exitOnSigterm ?? 0 });
  }

  async exec(command: readonly string[], tty: boolean, streams: CommandStreams): Promise<number> {
    if (this.program?.exec) return this.program.exec({ command, tty, streams });
    const why = `${this.#runsNothing} that could execute ${JSON.stringify(command)}`;
    (streams.stderr ?? streams.stdout)?.write(`${why}\n`);
    return cannotExecute;
  }

  async attach(tty: boolean, streams: CommandStreams): Promise<void> {
    if (!this.program) throw new Error(`${this.#runsNothing} to attach to`);
    await (this.program.attach?.({ command: [], tty, streams }) ?? this.#follow(streams));
  }

  /** It is forgotten, without an end. */
  abandon(): void {
    this.#timer?.cancel();
    this.#ended?.abort();
    this.#log?.end();
  }

  get #who(): string {
    const { container, pod } = this.#start;
    return `container ${container.name} of pod ${pod.metadata.namespace}/${pod.metadata.name}`;
  }

  get #runsNothing(): string {
    return `node ${this.#start.pod.spec?.nodeName} is simulated: ${this.#who} runs no program`;
  }

  #startProgram(program: SimulatedProgram, signal: AbortSignal): void {
    const { log } = this;
    try {
      program.start?.({ write: (text, stream) => log.write(text, stream), signal });
    } catch (error) {
      log.write(`the program could not start: ${String(error)}\n`, 'stderr');
    }
  }

  #endAfter({ after, exitCode, reason }: Extract<ContainerBehaviour, { kind: 'ends' }>): void {
    this.#endIn(this.startedAt + after - this.#options.clock.now(), { exitCode, ...(reason ? { reason } : {}) });
  }

  #endIn(ms: number, how: Omit<ContainerExit, 'at'>): void {
    this.#timer?.cancel();
    if (ms <= 0) this.#end(how);
    else this.#timer = this.#options.clock.after(ms, () => this.#end(how));
  }

  #end(how: Omit<ContainerExit, 'at'>): void {
    if (this.exit) return;
    this.exit = { ...how, at: this.#options.clock.now() };
    this.abandon();
    this.#start.onExit(this.exit);
  }

  #answer(probes: NonNullable<ContainerBehaviour['probes']>, probe: Probe): ProbeResult {
    const { container } = this.#start;
    const sort = (['startup', 'liveness', 'readiness'] as const).find(
      (one) => (container as Container)[`${one}Probe`] === probe,
    );
    const since = this.#options.clock.now() - this.startedAt;
    const fails = (probes[sort ?? 'readiness'] ?? []).some((stretch) => isIn(stretch, since));
    return fails ? { ok: false, output: 'the rule of the simulated node says so' } : { ok: true, output: '' };
  }

  /** The log from now on, until the run ends or the client leaves. */
  async #follow({ stdout, stderr, signal }: CommandStreams): Promise<void> {
    const { log } = this;
    for (let next = log.length; !signal.aborted; ) {
      const { ended } = log;
      const part = log.read(next);
      for (const { stream, text } of part.lines)
        (stream === 'stdout' ? stdout : (stderr ?? stdout))?.write(`${text}\n`);
      next = part.next;
      if (ended) return;
      await log.changed(next, signal);
    }
  }
}
