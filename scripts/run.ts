import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { endsWithParent } from '@coxswain/testing/processes';

/** The repository's root folder. */
export const root: string = fileURLToPath(new URL('..', import.meta.url));

/** What ends this process; Ctrl-C on a terminal reaches all that run there by itself. */
const endings = ['SIGHUP', 'SIGTERM', ...(process.stdin.isTTY ? [] : (['SIGINT'] as const))] as const;

/**
 * Runs a program with the terminal as its own; answers its exit code. What ends this process meanwhile ends the program, and this process
 * after it; it does not outlive this process in any case.
 * @param env variables besides those of this process
 */
export function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    let ended: NodeJS.Signals | undefined;
    const end = (signal: NodeJS.Signals) => {
      ended = signal;
      child.kill(signal);
    };
    // Before it begins: it may be told to end at once.
    for (const signal of endings) process.on(signal, end);
    const child = spawn(...endsWithParent(program, args), {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      for (const signal of endings) process.off(signal, end);
      if (ended) process.exit(128 + constants.signals[ended]);
      resolve(code ?? 1);
    });
  });
}
