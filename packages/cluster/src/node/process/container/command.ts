import type { Clock, Logger } from '@coxswain/runtime/core';
import type { CommandStreams } from '../../../apiserver/index.ts';
import type { Machine } from '../machine/machine.ts';
import type { MemoryGroup } from '../machine/memory-groups.ts';
import type { Credentials } from './credentials.ts';
import { splitEnvironment } from './environment-words.ts';
import { exitOf } from './exit.ts';
import { LaunchError, type Launched, launch } from './launch.ts';
import { feed, pump, writeTo } from './output.ts';
import { childrenOf, signalProcess } from './process-tree.ts';
import { programWords } from './program-words.ts';
import { commandScript } from './start-script.ts';
import { followSizes } from './terminal.ts';

export interface CommandPlace {
  readonly machine: Machine;
  readonly clock: Clock;
  readonly log: Logger;
  readonly credentials: Credentials;
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly enter: readonly string[];
  readonly memory: MemoryGroup | undefined;
  /** The container's first process. */
  readonly inside: number;
}

async function begin(place: CommandPlace, command: readonly string[], tty: boolean, stdin: boolean): Promise<Launched> {
  const { machine, clock, credentials, env, workingDir, memory } = place;
  const { plain, late } = splitEnvironment(tty ? { TERM: 'xterm', ...env } : env);
  const [program = ''] = command;
  const words = programWords(machine, { command, credentials, late, tty });
  const script = commandScript(machine, { workingDir, program, path: env['PATH'] ?? '', words });
  const [first = machine.tools.path('sh'), ...rest] = [...place.enter, machine.tools.path('sh'), '-c', script];
  try {
    return await launch({
      machine,
      clock,
      command: [first, ...rest],
      env: plain,
      stdin,
      merged: tty,
      beforeStart: (_, outside) => {
        for (const pid of memory ? childrenOf(outside) : []) memory?.add(pid);
      },
    });
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    throw new Error(`failed to exec in container: unable to start container process: ${error.message}`);
  }
}

/** Runs a command beside a container's program, as whom and where that runs; ends it when the client leaves. @returns its exit code */
export async function runCommand(
  place: CommandPlace,
  command: readonly string[],
  tty: boolean,
  streams: CommandStreams,
): Promise<number> {
  const { signal } = streams;
  const missing = tty ? place.machine.tools.missing('script') : [];
  if (missing.length > 0)
    throw new Error(`a terminal needs the program ${missing.join(', ')} of util-linux on this machine`);
  const { stdout, stderr, stdin, ended, outside } = await begin(place, command, tty, streams.stdin !== undefined);
  const kill = () => signalProcess(-outside, 'SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  if (stdin && streams.stdin) void feed(streams.stdin, stdin, either, true);
  if (tty && streams.resize) void followSizes(place, childrenOf(outside)[0] ?? outside, streams.resize, either);
  const hear = (from: typeof stdout | undefined, to: CommandStreams['stdout']) =>
    from && pump(from, ended, place.clock, (bytes) => writeTo(to, bytes, signal));
  try {
    await Promise.all([hear(stdout, streams.stdout), hear(stderr, streams.stderr)]);
    return exitOf(await ended, 0).exitCode;
  } finally {
    over.abort();
    stdin?.destroy();
    signal.removeEventListener('abort', kill);
  }
}
