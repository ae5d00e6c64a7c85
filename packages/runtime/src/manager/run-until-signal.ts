import { type Logger, messageOf, type Timer } from '../core/index.ts';
import type { Manager } from './types.ts';

/** What a program needs of its process: `process` of Node is one. */
export interface ProgramProcess {
  on(signal: 'SIGINT' | 'SIGTERM', listener: (signal: ProgramSignal) => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: (signal: ProgramSignal) => void): unknown;
  exit(code: number): void;
  readonly stderr: { write(text: string): unknown };
}

/** How `runUntilSignal` tells what happens. */
export interface RunOptions {
  /** Says that it stops, and why it ends with 1. Default: only the latter, as a line on standard error. */
  readonly log?: Logger;
  /** Called when the controllers run; a standby's when it leads. */
  readonly onRunning?: () => void;
  /** Default: the machine's. */
  readonly process?: ProgramProcess;
}

type ProgramSignal = NodeJS.Signals;

/** A program that a signal ends has 128 and the number of the signal as its exit code. */
const codes: Partial<Record<ProgramSignal, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * The whole life of an operator's process: sets it up, starts its manager, stops it in order on SIGTERM or SIGINT (Ctrl-C), at any time
 * from the first moment on, and ends the process:
 * - with 0 when it was stopped, also while it waited to lead or for its kinds, or was still being set up;
 * - with 1, after one line that says why, when it could not be set up or started, or has lost its lease;
 * - at once with 130 or 143 when a second SIGINT or SIGTERM comes meanwhile.
 * @param setUp makes the manager: connects, installs what must be there, adds the controllers. `stop` is aborted with the first signal
 */
export async function runUntilSignal(
  setUp: (stop: AbortSignal) => Manager | Promise<Manager>,
  options: RunOptions = {},
): Promise<void> {
  const { log, onRunning, process = globalThis.process } = options;
  const stop = new AbortController();
  const onSignal = (signal: ProgramSignal): void => {
    if (stop.signal.aborted) {
      process.exit(codes[signal] ?? 1);
      return;
    }
    log?.info({ signal }, 'stopping; a second signal ends the process at once');
    stop.abort(new Error(`stopped by ${signal}`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const code = await life(setUp, stop.signal, onRunning).then(
    () => 0,
    (error: unknown) => {
      if (!log) process.stderr.write(`${messageOf(error)}\n`);
      else log.error(isMistake(error) ? { err: error } : {}, messageOf(error));
      return 1;
    },
  );
  process.off('SIGINT', onSignal);
  process.off('SIGTERM', onSignal);
  process.exit(code);
}

async function life(
  setUp: (stop: AbortSignal) => Manager | Promise<Manager>,
  stop: AbortSignal,
  onRunning: (() => void) | undefined,
): Promise<void> {
  const stopped = new Promise<undefined>((resolve) => stop.addEventListener('abort', () => resolve(undefined)));
  const manager = await Promise.race([(async () => setUp(stop))(), stopped]);
  if (!manager || stop.aborted) return;
  void stopped.then(() => manager.stop());
  const release = keptAlive(manager);
  try {
    await manager.start();
    if (manager.state === 'running') onRunning?.();
    await manager.ended;
  } finally {
    await manager.stop();
    release();
  }
}

/** Node ends when nothing is left to wait for, which a manager of no controllers and no election may well have. */
function keptAlive({ clock }: Manager): () => void {
  let timer: Timer;
  const arm = (): void => {
    timer = clock.after(3_600_000, arm);
  };
  arm();
  return () => timer.cancel();
}

/** Errors of the language are mistakes in a program, which its stack helps to find; all others say what is wrong. */
function isMistake(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || !(error instanceof Error);
}
