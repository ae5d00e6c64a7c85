import type { Clock } from '@coxswain/runtime/core';
import { childProcess } from '../../../late-modules.ts';

/** A tool of the machine did not do what it was asked. */
export class ToolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolError';
  }
}

export interface ToolRun {
  readonly clock: Clock;
  /** Milliseconds; default 20,000. */
  readonly timeout?: number;
}

/** Bytes kept of what a tool says. */
const kept = 256 * 1024;

/**
 * Runs a tool to its end and answers what it wrote. Nothing of it outlives this call.
 * @throws ToolError with what it said when it ends with anything but 0, cannot be started, or takes too long
 */
export function runTool(
  command: readonly [string, ...string[]],
  { clock, timeout = 20_000 }: ToolRun,
): Promise<string> {
  const [program, ...args] = command;
  return new Promise((resolve, reject) => {
    const child = childProcess().spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    let late = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out = (out + text).slice(-kept);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err = (err + text).slice(-kept);
    });
    const timer = clock.after(timeout, () => {
      late = true;
      child.kill('SIGKILL');
    });
    child.once('error', (error) => {
      timer.cancel();
      reject(new ToolError(`${program} cannot be started: ${error.message}`));
    });
    child.once('close', (code) => {
      timer.cancel();
      if (late) reject(new ToolError(`${program} has not ended after ${timeout} ms`));
      else if (code === 0) resolve(out);
      else reject(new ToolError(err.trim() || `${program} ended with ${code}`));
    });
  });
}
