import { spawn } from 'node:child_process';

/** How a program is run. */
export interface RunOptions {
  /** Folder it runs in. */
  readonly cwd: string;
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which it is ended; default 30 minutes, since compilers are slow. */
  readonly timeout?: number;
}

/** How much of what it said last is told when it fails, in characters. */
const tail = 2_000;

/**
 * Runs a program to its end and answers its standard output.
 * @throws Error with the end of what it said; the error of `spawn` (ENOENT …) when it cannot be started
 */
export function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { cwd, env = {}, timeout = 30 * 60_000 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout,
    });
    let output = '';
    let said = '';
    const keep = (text: string) => {
      said = (said + text).slice(-tail);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      keep(text);
    });
    child.stderr.setEncoding('utf8').on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code ?? 'a signal'}:\n${said}`));
    });
  });
}
