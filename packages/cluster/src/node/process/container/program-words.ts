import type { Machine } from '../machine/machine.ts';
import { quoteAll } from '../machine/quote.ts';
import { type Credentials, credentialWords } from './credentials.ts';

export interface Program {
  readonly command: readonly string[];
  readonly credentials: Credentials;
  /** As `NAME=VALUE`. */
  readonly late: readonly string[];
  readonly tty: boolean;
}

/** A terminal of its own for a command: it types what comes from standard input, and standard output shows its screen. */
function onTerminal(machine: Machine, command: readonly string[], late: readonly string[]): string[] {
  const { tools } = machine;
  const run = quoteAll([tools.path('env'), ...late, ...command]);
  const script = [
    tools.path('script'),
    '--quiet',
    '--flush',
    '--return',
    '--echo',
    'always',
    '--command',
    `exec ${run}`,
  ];
  return [tools.path('env'), '-u', 'SHELL', ...script, '/dev/null'];
}

/** The words that become a container's program in the end: as whom it runs, with its variables, on a terminal if it has one. */
export function programWords(machine: Machine, { command, credentials, late, tty }: Program): string[] {
  const { tools, isolation } = machine;
  const privileged = process.getuid?.() === 0;
  const words: string[] = [];
  // Without privileges there is one user only, who gets the number that is asked for.
  if (isolation && !privileged && credentials.uid !== 0)
    words.push(
      tools.path('unshare'),
      '--user',
      `--map-user=${credentials.uid}`,
      `--map-group=${credentials.gid}`,
      '--',
    );
  if (tools.has('setpriv')) words.push(...credentialWords(tools.path('setpriv'), credentials, privileged));
  if (tty) return [...words, ...onTerminal(machine, command, late)];
  return [...words, ...(late.length > 0 ? [tools.path('env'), ...late] : []), ...command];
}
