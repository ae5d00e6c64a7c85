import { type Client, isTransient } from '@coxswain/runtime/client';
import { type Clock, messageOf, sleep } from '@coxswain/runtime/core';
import { UnmetError } from './errors.ts';
import type { CommandLine } from './options.ts';

/** What a command works with. */
export interface Session {
  readonly client: Client;
  readonly clock: Clock;
  readonly line: CommandLine;
  /** That of `-n`, else of the context. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  readonly screen: Screen;
  /** To standard error, a line. */
  note(line: string): void;
}

/** Where a command writes. */
export interface Screen {
  /** Whether it is a terminal, so that it may be drawn over. */
  readonly isTTY: boolean;
  readonly colour: boolean;
  readonly rows: number;
  readonly columns: number;
  write(text: string): void;
}

/** Milliseconds between looks at what is waited for. */
const lookAgain = 1_000;

/**
 * Looks until it is so, and notes how far it is whenever that changes.
 * @param look `undefined` when it is so, else what is waited for
 * @param timeout milliseconds
 * @throws UnmetError when the time is up
 */
export async function waitUntil(
  { clock, signal, note }: Pick<Session, 'clock' | 'signal' | 'note'>,
  timeout: number,
  look: () => Promise<string | undefined>,
): Promise<void> {
  const deadline = clock.monotonic() + timeout;
  let told: string | undefined;
  for (;;) {
    const missing = await unlessCutOff(look);
    if (missing === undefined) return;
    if (missing !== told) note(missing);
    told = missing;
    if (clock.monotonic() >= deadline) throw new UnmetError(`not within ${timeout / 1000}s: ${missing}`);
    await sleep(clock, lookAgain, signal);
  }
}

/** What a look found; when the server could not be asked for now, why: that is no reason to give up what takes minutes. */
export async function unlessCutOff<T>(look: () => Promise<T>): Promise<T | string> {
  try {
    return await look();
  } catch (error) {
    if (!isTransient(error)) throw error;
    return messageOf(error);
  }
}
