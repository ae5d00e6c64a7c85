import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root: string = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program with the terminal as its own; answers its exit code. */
export function run(program: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
