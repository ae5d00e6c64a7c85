import { createClient, defaultConnection, httpTransport } from '@coxswain/runtime/client';
import { type Clock, messageOf, systemClock } from '@coxswain/runtime/core';
import packageJson from '../../package.json' with { type: 'json' };
import { confirmFailover } from './confirm-failover.ts';
import { drain, undrain } from './drain.ts';
import { UsageError } from './errors.ts';
import { logs } from './logs.ts';
import { type CommandLine, type CommandName, parseCommandLine, usage } from './options.ts';
import { restart } from './restart.ts';
import type { Screen, Session } from './session.ts';
import { status } from './status/command.ts';
import { plain } from './text.ts';

/** What the program needs of its process. */
export interface PluginProcess {
  /** The words behind `kubectl mo`. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly screen: Screen;
  /** To standard error. */
  note(line: string): void;
}

type Command = (session: Session) => Promise<number>;

const table: Readonly<Record<Exclude<CommandName, 'version'>, Command>> = {
  status,
  drain,
  undrain,
  restart,
  logs,
  'confirm-failover': confirmFailover,
};

/** Runs one command line to its end. @returns the exit code: 0 well, 1 not so or an error, 2 a wrong command line */
export async function runPlugin(process: PluginProcess, clock: Clock = systemClock): Promise<number> {
  try {
    const line = parseCommandLine(process.words);
    if (line.help) return say(process, usage(line.command));
    if (line.command === undefined || line.command === 'version') return say(process, `${packageJson.version}\n`);
    return await connected(process, clock, line, table[line.command]);
  } catch (error) {
    process.note(`error: ${plain(messageOf(error))}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function say({ screen }: PluginProcess, text: string): number {
  screen.write(text);
  return 0;
}

async function connected(process: PluginProcess, clock: Clock, line: CommandLine, run: Command): Promise<number> {
  // as for kubectl an empty one is none: scripts pass variables that are not set
  const path = line.text('kubeconfig') || undefined;
  const context = line.text('context') || undefined;
  const connection = await defaultConnection({
    env: process.env,
    clock,
    ...(path === undefined ? {} : { path }),
    ...(context === undefined ? {} : { context }),
  });
  const transport = httpTransport(connection, { clock });
  const fieldManager = 'kubectl-mo';
  const client = createClient({ transport, fieldManager, userAgent: `${fieldManager}/${packageJson.version}`, clock });
  try {
    const namespace = line.text('namespace') || connection.namespace;
    const { signal } = new AbortController();
    const note = (text: string) => process.note(plain(text));
    return await run({ client, clock, line, namespace, screen: process.screen, note, signal });
  } finally {
    await transport.close();
  }
}
