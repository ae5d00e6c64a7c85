import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { type Clock, sleep } from '@coxswain/runtime/core';
import { endsWithParent } from '../processes/index.ts';

/** How much of what a program last said is kept for error messages, in characters. */
const tail = 2_000;

/** A program that runs, and the end of what it said. */
export interface Child {
  readonly name: string;
  /** -1 when it could not be started. */
  readonly pid: number;
  /** True once it ended. */
  ended(): boolean;
  /** The last of its output. */
  said(): string;
  /** Asks it to end, and ends it after `patience` milliseconds (default 5 s). Resolves when it is gone. */
  stop(patience?: number): Promise<void>;
  /** Ends it at once (SIGKILL). Resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts a program whose output is kept, not shown. It ends with this process at the latest. */
export function startChild(clock: Clock, name: string, path: string, args: readonly string[]): Child {
  const child: ChildProcess = spawn(...endsWithParent(path, args), { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let gone = false;
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-tail);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exit = new Promise<void>((resolve) => {
    const settle = () => {
      gone = true;
      resolve();
    };
    child.once('error', (error) => {
      text += String(error);
      settle();
    });
    child.once('exit', settle);
  });
  return {
    name,
    pid: child.pid ?? -1,
    ended: () => gone,
    said: () => text,
    async stop(patience = 5_000) {
      if (gone) return;
      child.kill('SIGTERM');
      const timer = clock.after(patience, () => child.kill('SIGKILL'));
      await exit;
      timer.cancel();
    },
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/**
 * Waits until `probe` answers true.
 * @throws Error when the child ends first, or `limit` milliseconds pass; with the end of what it said
 */
export async function untilReady(
  clock: Clock,
  child: Child,
  probe: () => Promise<boolean>,
  limit: number,
): Promise<void> {
  const end = clock.monotonic() + limit;
  while (!(await probe())) {
    const why = child.ended() ? 'ended' : clock.monotonic() > end ? `is not ready after ${limit / 1000}s` : undefined;
    if (why) throw new Error(`${child.name} ${why}; it last said:\n${child.said()}`);
    await sleep(clock, 50);
  }
}

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
