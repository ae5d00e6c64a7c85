/** The command line as its users have it, for tests: a process of its own, with a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endsWithParent } from '@coxswain/testing/processes';

const entry = fileURLToPath(new URL('./main.ts', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TestCox extends AsyncDisposable {
  /** A folder that goes with it. */
  readonly dir: string;
  /** Its `COX_HOME`. */
  readonly home: string;
  /** Runs a command to its end; `env` and `cwd` in place of its own. */
  run(
    args: readonly string[],
    surroundings?: { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string },
  ): Promise<Ended>;
  /** Starts a command that stays. */
  start(args: readonly string[]): ChildProcess;
}

/** Collects what a process says until it ends. */
export function untilEnded(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (text) => {
    stdout += text;
  });
  child.stderr?.on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr })));
}

export async function testCox(): Promise<TestCox> {
  const dir = await mkdtemp(join(tmpdir(), 'cox-cli-'));
  const home = join(dir, 'home');
  const own = { ...process.env, COX_HOME: home };
  const start = (args: readonly string[], { env = own, cwd }: { env?: NodeJS.ProcessEnv; cwd?: string } = {}) =>
    spawn(...endsWithParent(process.execPath, [entry, ...args]), {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd ? { cwd } : {}),
    });
  return {
    dir,
    home,
    start,
    run: (args, surroundings) => untilEnded(start(args, surroundings)),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}
