import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { type Clock, withTimeout } from '@coxswain/runtime/core';
import { childProcess } from '../../../late-modules.ts';
import type { Machine } from '../machine/machine.ts';
import type { Pipe } from '../machine/pipes.ts';

/** A script ended, or said what is wrong, before its program could begin. */
export class LaunchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LaunchError';
  }
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that was started by a script, and waits for its turn no longer. */
export interface Launched {
  /** Of the process that stands outside and ends when the program does. */
  readonly outside: number;
  /** The program's own, as this machine sees it; absent when the script did not say. */
  readonly inside: number | undefined;
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable | undefined;
  readonly ended: Promise<ProcessEnd>;
}

export interface LaunchOptions {
  readonly machine: Machine;
  readonly clock: Clock;
  /** What runs, with a script of `start-script.ts`. */
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  /** One stream for both, as a terminal has it. */
  readonly merged: boolean;
  /** Called when the program is about to begin. */
  readonly beforeStart?: (inside: number | undefined, outside: number) => void;
}

/** Milliseconds a script has to get its program ready. */
const patience = 30_000;

const net = () => process.getBuiltinModule('node:net');

/** The end of a pipe that belongs to this process. */
function endOf(pipe: Pipe, program: 'reads' | 'writes'): Socket {
  const own = program === 'writes' ? pipe.output : pipe.input;
  const socket = new (net().Socket)({ fd: own, readable: program === 'writes', writable: program === 'reads' });
  socket.on('error', () => {});
  return socket;
}

/** What a script reports, and what the tools around its program say later. */
class Reports {
  /** Resolves when the program may begin, with its process as the script says it. */
  readonly ready: Promise<number | undefined>;
  readonly #stream: Readable;
  #text = '';

  constructor(child: ChildProcess) {
    const stream = child.stderr as Readable;
    this.#stream = stream;
    this.ready = new Promise((resolve, reject) => {
      const failed = (error?: Error) => reject(new LaunchError(error?.message ?? this.#complaint));
      stream.setEncoding('utf8').on('data', (part: string) => {
        this.#text = (this.#text + part).slice(-16 * 1024);
        if (!/^ready$/m.test(this.#text)) return;
        const pid = /^pid (\d+)$/m.exec(this.#text)?.[1];
        resolve(pid === undefined ? undefined : Number(pid));
      });
      stream.once('end', () => failed());
      stream.on('error', failed);
      child.once('error', failed);
    });
    this.ready.catch(() => {});
  }

  get #complaint(): string {
    return this.#text.replace(/^pid \d+\n/, '').trim() || 'it ended before its program began';
  }

  /** How the program ended, which `unshare` cannot say of one that was killed: it complains instead (util-linux before 2.39). */
  async correct(end: ProcessEnd): Promise<ProcessEnd> {
    if (end.code !== 1) return end;
    if (!this.#stream.readableEnded && !this.#stream.destroyed) await once(this.#stream, 'close').catch(() => {});
    return /^\S*unshare: /m.test(this.#text) ? { code: null, signal: 'SIGKILL' } : end;
  }
}

function exitOf(child: ChildProcess, reports: Reports): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(reports.correct({ code, signal })));
    child.once('error', () => resolve({ code: 127, signal: null }));
  });
}

/** Starts a script and, when it is ready, its program. @throws LaunchError */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const { machine, clock, command, env, beforeStart } = options;
  const [program, ...args] = command;
  const input = options.stdin ? await machine.pipes.open('reads') : undefined;
  const output = await machine.pipes.open('writes');
  const errors = options.merged ? undefined : await machine.pipes.open('writes');
  const stdout = endOf(output, 'writes');
  const stderr = errors && endOf(errors, 'writes');
  const stdin = input && endOf(input, 'reads');
  const given = [
    input?.output ?? ('ignore' as const),
    output.input,
    'pipe',
    'pipe',
    errors?.input ?? output.input,
  ] as const;
  const child = childProcess().spawn(program, args, {
    stdio: [...given],
    env: { ...env },
    detached: true,
  });
  for (const fd of new Set(given)) if (typeof fd === 'number') closeSync(fd);
  const reports = new Reports(child);
  const ended = exitOf(child, reports);
  const orders = child.stdio[3] as Writable;
  orders.on('error', () => {});
  void ended.then(() => orders.destroy());
  try {
    const inside = await withTimeout(clock, patience, 'the start of a container', () => reports.ready);
    if (child.pid === undefined) throw new LaunchError('it has no process');
    beforeStart?.(inside, child.pid);
    orders.write('go\n');
    return { outside: child.pid, inside, stdin, stdout, stderr, ended };
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    orders.destroy();
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
    throw error instanceof LaunchError
      ? error
      : new LaunchError(error instanceof Error ? error.message : String(error));
  }
}
