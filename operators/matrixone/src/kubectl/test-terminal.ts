// A session of a user with a cluster in virtual time, and what the user sees. Not exported.
import type { Client } from '@coxswain/runtime/client';
import type { Clock } from '@coxswain/runtime/core';
import { parseCommandLine } from './options.ts';
import type { Session } from './session.ts';

export interface Terminal {
  readonly session: Session;
  /** All that was written to standard output. */
  readonly output: () => string;
  /** The lines of standard error. */
  readonly notes: readonly string[];
}

/** @param words as behind `kubectl mo` */
export function terminal(
  world: { readonly client: Client; readonly clock: Clock },
  words: string,
  { isTTY = false, rows = 24, columns = 200 }: { isTTY?: boolean; rows?: number; columns?: number } = {},
): Terminal {
  let written = '';
  const notes: string[] = [];
  const screen = {
    isTTY,
    colour: false,
    rows,
    columns,
    write(text: string) {
      written += text;
    },
  };
  const note = (line: string) => void notes.push(line);
  const line = parseCommandLine(words.split(' '));
  const { client, clock } = world;
  const { signal } = new AbortController();
  return { session: { client, clock, line, namespace: 'default', signal, screen, note }, output: () => written, notes };
}
