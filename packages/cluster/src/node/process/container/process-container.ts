import type { LifecycleHandler, Probe } from '@coxswain/k8s';
import type { Clock, Logger } from '@coxswain/runtime/core';
import type { CommandStreams } from '../../../apiserver/index.ts';
import { dialTcp, type PodAttachment } from '../../network/index.ts';
import { executeHook, executeProbe, type ProbeTarget } from '../../probes/index.ts';
import type { ContainerExit, ContainerStart, ContainerUsage, ProbeResult, RunningContainer } from '../../runtime.ts';
import type { LogFile } from '../logs/log-file.ts';
import type { Machine } from '../machine/machine.ts';
import type { MemoryGroup } from '../machine/memory-groups.ts';
import { runCommand } from './command.ts';
import type { Credentials } from './credentials.ts';
import { exitOf, terminationMessage } from './exit.ts';
import type { Launched } from './launch.ts';
import { feed, type Listener, pump, writeTo } from './output.ts';
import { childrenOf, signalProcess, usageOf } from './process-tree.ts';
import { followSizes } from './terminal.ts';

export interface ContainerParts {
  readonly machine: Machine;
  readonly clock: Clock;
  readonly log: Logger;
  readonly id: string;
  readonly start: ContainerStart;
  readonly launched: Launched;
  readonly output: LogFile;
  readonly credentials: Credentials;
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  /** Words that bring a command into the namespaces of the container; none when it has none. */
  readonly enter: readonly string[];
  readonly memory: MemoryGroup | undefined;
  /** File of the termination message. */
  readonly message: string | undefined;
  readonly attachment: PodAttachment;
  /** Removes what was made for this run. Never rejects. */
  readonly cleanUp: () => Promise<void>;
}

/** Milliseconds that clients have to take the last words of a program that has ended. */
const patience = 2_000;

/** A container as a tree of processes. */
export class ProcessContainer implements RunningContainer {
  readonly id: string;
  readonly startedAt: number;
  /** Resolves when it has ended, its log is written and, unless that failed, nothing is left. Never rejects. */
  readonly gone: Promise<void>;
  readonly #parts: ContainerParts;
  readonly #listeners = new Set<Listener>();
  readonly #commands = new AbortController();
  /** Those who have joined are not waited for any more. */
  readonly #joined = new AbortController();
  #processEnded = false;
  #exit: ContainerExit | undefined;

  constructor(parts: ContainerParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.startedAt = parts.clock.now();
    this.gone = this.#run();
  }

  get exit(): ContainerExit | undefined {
    return this.#exit;
  }

  kill(signal: NodeJS.Signals): void {
    if (this.#processEnded) return;
    const { launched, enter } = this.#parts;
    const { inside, outside } = launched;
    // The first process of its namespace takes all others along.
    if (enter.length > 0) signalProcess(this.#program(inside ?? outside, signal), signal);
    else signalProcess(signal === 'SIGKILL' ? -outside : outside, signal);
  }

  exec(command: readonly string[], tty: boolean, streams: CommandStreams): Promise<number> {
    if (this.#processEnded) return Promise.reject(new Error('the container has ended'));
    const { launched } = this.#parts;
    const signal = AbortSignal.any([streams.signal, this.#commands.signal]);
    return runCommand({ ...this.#parts, inside: launched.inside ?? launched.outside }, command, tty, {
      ...streams,
      signal,
    });
  }

  async attach(tty: boolean, streams: CommandStreams): Promise<void> {
    const { launched, start } = this.#parts;
    const ended = new AbortController();
    const signal = AbortSignal.any([streams.signal, ended.signal, this.#joined.signal]);
    const listener = { ...streams, signal };
    this.#listeners.add(listener);
    const { stdin } = launched;
    if (stdin && streams.stdin) void feed(streams.stdin, stdin, signal, start.container.stdinOnce === true);
    if (tty && streams.resize)
      void followSizes(this.#parts, launched.inside ?? launched.outside, streams.resize, signal);
    const left = new Promise<void>((resolve) =>
      streams.signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    if (!streams.signal.aborted) await Promise.race([this.gone, left]);
    ended.abort();
    this.#listeners.delete(listener);
    if (start.container.stdinOnce) stdin?.end();
  }

  readonly probe = (probe: Probe, signal: AbortSignal): Promise<ProbeResult> =>
    executeProbe(probe, this.#target(), signal);

  readonly hook = (handler: LifecycleHandler, signal: AbortSignal): Promise<void> =>
    executeHook(handler, this.#target(), signal);

  readonly usage = (): ContainerUsage | undefined => {
    const { launched, memory } = this.#parts;
    if (this.#processEnded) return undefined;
    const used = usageOf(launched.inside ?? launched.outside);
    return memory ? { ...used, memory: memory.usage } : used;
  };

  #target(): ProbeTarget {
    const { start, attachment, clock } = this.#parts;
    const [podAddress] = attachment.addresses;
    return {
      pod: start.pod,
      container: start.container,
      podAddress,
      clock,
      exec: (...command) => this.exec(...command),
      dial: (host, port, signal) => (host === podAddress ? attachment.dial(port, signal) : dialTcp(host, port, signal)),
    };
  }

  /** On a terminal the program is the one child of what holds the terminal. */
  #program(pid: number, signal: NodeJS.Signals): number {
    if (signal === 'SIGKILL' || !this.#parts.start.container.tty) return pid;
    return childrenOf(pid)[0] ?? pid;
  }

  async #run(): Promise<void> {
    const { launched, clock, start, enter, log, id, memory, cleanUp } = this.#parts;
    const heard = this.#hear();
    const end = await launched.ended;
    this.#processEnded = true;
    const how = exitOf(end, clock.now());
    if (enter.length === 0) signalProcess(-launched.outside, 'SIGKILL');
    this.#commands.abort(new Error('the container has ended'));
    launched.stdin?.destroy();
    const leaving = clock.after(patience, () => this.#joined.abort());
    try {
      const oomKilled = memory?.killed === true && how.exitCode !== 0;
      const message = await this.#lastWords(heard, how.exitCode !== 0);
      this.#exit = {
        ...how,
        ...(oomKilled ? { reason: 'OOMKilled' } : {}),
        ...(message === undefined ? {} : { message }),
      };
    } catch (error) {
      // The program has ended, whatever becomes of what it said.
      log.error({ id, error }, 'the end of a container could not be recorded in full');
      this.#exit = how;
    } finally {
      leaving.cancel();
    }
    await cleanUp();
    start.onExit(this.#exit);
  }

  async #hear(): Promise<void> {
    const { stdout, stderr, ended } = this.#parts.launched;
    const { clock } = this.#parts;
    await Promise.all([
      pump(stdout, ended, clock, (bytes) => this.#take('stdout', bytes)),
      stderr && pump(stderr, ended, clock, (bytes) => this.#take('stderr', bytes)),
    ]);
  }

  /** Its log is complete, and its termination message is read. */
  async #lastWords(heard: Promise<void>, failed: boolean): Promise<string | undefined> {
    const { output, start, message } = this.#parts;
    await heard;
    await output.end();
    return terminationMessage(start.container, message, output, failed);
  }

  async #take(stream: 'stdout' | 'stderr', bytes: Buffer): Promise<void> {
    await this.#parts.output.write(stream, bytes);
    for (const { stdout, stderr, signal } of this.#listeners)
      await writeTo(stream === 'stdout' ? stdout : (stderr ?? stdout), bytes, signal);
  }
}
