import { parseArgs } from 'node:util';
import { parseDuration } from '@coxswain/runtime/core';
import { UsageError } from './errors.ts';

/** Roles of a cluster as the command line calls them. */
export const components = { log: 'LogSet', tn: 'DNSet', cn: 'CNSet', proxy: 'ProxySet', webui: 'WebUI' } as const;
export type Component = keyof typeof components;

interface Flag {
  readonly short?: string;
  /** What its value is called in the usage; absent: it is a switch. */
  readonly value?: string;
  readonly help: string;
}

const common = {
  namespace: { short: 'n', value: 'NAME', help: 'namespace; default: that of the context' },
  context: { value: 'NAME', help: 'context of the kubeconfig' },
  kubeconfig: { value: 'FILE', help: 'default: $KUBECONFIG, else ~/.kube/config' },
  help: { short: 'h', help: 'this text' },
} as const satisfies Readonly<Record<string, Flag>>;

const wait = { help: 'wait until it is so, and show how far it is' } as const;
const timeout = (initial: string) => ({ value: 'TIME', help: `how long is waited, as 90s or 10m; default ${initial}` });
const component = { value: 'ROLE', help: `one of ${Object.keys(components).join(', ')}; default: all` } as const;

/** All commands: their arguments, what they do, and their flags. */
export const commands = {
  status: {
    args: '[NAME]',
    help: 'clusters as trees: what they consist of, how it is, and what they wait for',
    flags: {
      'all-namespaces': { short: 'A', help: 'of all namespaces' },
      output: { short: 'o', value: 'FORMAT', help: 'wide, json or yaml' },
      watch: { short: 'w', help: 'show it again whenever it changes' },
      timeout: { value: 'TIME', help: 'end a watch after so long; default: never' },
    },
  },
  drain: {
    args: 'POD|CNSET ...',
    help: 'keep compute nodes out of service: their sessions are handed over and no new ones come',
    flags: { wait, timeout: timeout('10m') },
  },
  undrain: {
    args: 'POD|CNSET ...',
    help: 'put compute nodes back into service',
    flags: { wait, timeout: timeout('10m') },
  },
  restart: {
    args: 'NAME',
    help: 'replace the pods of a cluster one by one, each when the one before is up again; compute nodes are drained where their group says so',
    flags: { component, timeout: { value: 'TIME', help: 'how long is waited for each pod; default 15m' } },
  },
  logs: {
    args: 'NAME',
    help: 'what the pods of a cluster write, in the order of time',
    flags: {
      component,
      container: { short: 'c', value: 'NAME', help: 'only containers of this name; default: all' },
      follow: { short: 'f', help: 'go on with what they write from now on, pods that come later included' },
      since: { value: 'TIME', help: 'only what is younger, as 30s or 2h' },
      tail: { value: 'LINES', help: 'last lines of each container, -1 for all; default 10, or all with --since' },
      timestamps: { help: 'with the time of each line' },
    },
  },
  'confirm-failover': {
    args: 'LOGSET POD ...',
    help: 'let log stores be replaced although the quorum does not allow it; THEIR VOLUMES ARE DELETED',
    flags: { yes: { help: 'they may be lost: without it nothing is done' } },
  },
  version: { args: '', help: 'the version of this program', flags: {} },
} as const satisfies Readonly<Record<string, { args: string; help: string; flags: Readonly<Record<string, Flag>> }>>;

export type CommandName = keyof typeof commands;

/** A command line, read. Flags that were not given are absent. */
export interface CommandLine {
  /** Absent: only the usage is asked for. */
  readonly command?: CommandName;
  readonly args: readonly string[];
  text(flag: string): string | undefined;
  isSet(flag: string): boolean;
  /** Milliseconds. @throws UsageError */
  duration(flag: string): number | undefined;
  readonly help: boolean;
}

/** @throws UsageError saying which word is wrong */
export function parseCommandLine(words: readonly string[]): CommandLine {
  const [name = 'help', ...rest] = words;
  if (name === 'help' || name === '--help' || name === '-h') return lineOf(undefined, [], {});
  if (name.startsWith('-')) throw new UsageError(`"${name}" comes too early: kubectl mo COMMAND [ARGUMENTS] [FLAGS]`);
  if (!isCommand(name))
    throw new UsageError(`there is no command "${name}"; there are: ${Object.keys(commands).join(', ')}`);
  const flags = flagsOf(name);
  const options = Object.fromEntries(
    Object.entries(flags).map(([flag, { short, value }]) => [
      flag,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short ? { short } : {}) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
    return lineOf(name, positionals, values);
  } catch (error) {
    throw new UsageError(`kubectl mo ${name}: ${(error as Error).message}`);
  }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

function flagsOf(name: CommandName): Readonly<Record<string, Flag>> {
  return { ...commands[name].flags, ...common };
}

function lineOf(
  command: CommandName | undefined,
  args: readonly string[],
  values: Readonly<Record<string, unknown>>,
): CommandLine {
  const text = (flag: string) => (typeof values[flag] === 'string' ? values[flag] : undefined);
  return {
    ...(command ? { command } : {}),
    args,
    text,
    isSet: (flag) => values[flag] === true,
    duration(flag) {
      const given = text(flag);
      if (given === undefined) return undefined;
      const ms = durationOf(given);
      if (ms === undefined || ms <= 0) throw new UsageError(`--${flag} is "${given}"; give a time such as 90s or 10m`);
      return ms;
    },
    help: values['help'] === true || command === undefined,
  };
}

function durationOf(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}

/** The role that `--component` names; `undefined`: all. @throws UsageError */
export function componentOf(line: CommandLine): Component | undefined {
  const name = line.text('component');
  if (name === undefined) return undefined;
  if (!Object.hasOwn(components, name))
    throw new UsageError(`--component is "${name}"; it is one of ${Object.keys(components).join(', ')}`);
  return name as Component;
}

/** What `--help` shows, of all or of one command. */
export function usage(command?: CommandName): string {
  if (command === undefined) {
    const width = Math.max(...Object.keys(commands).map((name) => name.length));
    const lines = Object.entries(commands).map(([name, { help }]) => `  ${name.padEnd(width)}  ${help}`);
    return ['usage: kubectl mo COMMAND [ARGUMENTS] [FLAGS]', '', ...lines, '', exits, ''].join('\n');
  }
  const { args, help } = commands[command];
  const flags = Object.entries(flagsOf(command)).map(([name, { short, value, help: said }]) => {
    const written = `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
    return `  ${written.padEnd(30)}  ${said}`;
  });
  return [
    `usage: kubectl mo ${command} ${args} [FLAGS]`.replace('  ', ' '),
    '',
    help,
    '',
    ...flags,
    '',
    exits,
    '',
  ].join('\n');
}

const exits =
  'Ends with 0 when all is as it should be, 1 when it is not or something went wrong, 2 for a wrong command line.';
