import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Screen } from '../view/live.ts';
import { nameOption, parseDuration } from './options.ts';

/** Flags of `cox cluster fault add`; lists are given as `a,b`. */
export interface FaultFlags {
  readonly name: string;
  readonly json?: string;
  readonly verb?: string;
  readonly resource?: string;
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly object?: string;
  readonly user?: string;
  readonly userAgent?: string;
  readonly nth?: number;
  readonly every?: number;
  readonly probability?: number;
  readonly times?: number;
  readonly after?: number;
  readonly until?: number;
  readonly latency?: number;
  readonly status?: number;
  readonly retryAfter?: number;
  readonly reset?: true;
  readonly loseReply?: true;
  readonly watch?: string;
  readonly ms?: number;
}

function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be a whole number from 1.');
}

function probability(text: string): number {
  const value = /^\d+(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (text !== '' && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('must be from 0 to 1, or a percentage such as 10%.');
}

const seconds = (text: string) => parseDuration(text) / 1000;

function withMatchFlags(command: Command): Command {
  return command
    .option('--verb <verbs>', 'get, list, watch, create, update, patch, delete, deletecollection')
    .option('--resource <plurals>', 'pods, deployments …')
    .option('--group <groups>', 'API groups; "" is the core group')
    .option('--subresource <names>', 'status, scale …; "" is the object itself (default: both)')
    .option('--namespace <names>', 'namespaces of the objects')
    .option('--object <names>', 'names of the objects')
    .option('--user <names>', 'who asks: kubernetes-admin, system:serviceaccount:NAMESPACE:NAME …')
    .option('--user-agent <texts>', 'kubectl/* …');
}

function withWhenFlags(command: Command): Command {
  return command
    .option('--nth <n>', 'only the n-th request that matches', count)
    .option('--every <n>', 'every n-th', count)
    .option('--probability <p>', 'with this chance: 0.1 or 10%', probability)
    .option('--times <n>', 'at most so often', count)
    .option('--after <duration>', 'not before', parseDuration)
    .option('--until <duration>', 'not from then on', parseDuration);
}

function withActionFlags(command: Command): Command {
  return command
    .option('--latency <duration>', 'hold the request up: 500ms, 2s …', parseDuration)
    .addOption(new Option('--status <code>', 'refuse it: 409, 410, 429, 500, 503, 504').argParser(count))
    .option('--retry-after <duration>', 'with --status: when to come back', seconds)
    .option('--reset', 'break the connection before anything is done')
    .option('--lose-reply', 'do it, then break the connection')
    .addOption(
      new Option(
        '--watch <how>',
        'disturb a watch: end it, let its events come late, send them twice, or late by turns but in their order',
      ).choices(['drop', 'delay', 'duplicate', 'reorderless-late']),
    )
    .option('--ms <duration>', 'with --watch: how late, or how long until it is dropped', parseDuration);
}

const example = `
Lists are given as a,b; * stands for any characters. Exactly one of --latency, --status, --reset, --lose-reply, --watch.

  cox cluster fault add --verb create,patch --resource pods --status 500 --probability 10%
  cox cluster fault add --verb create --object web-0 --lose-reply --times 1
  cox cluster fault add --resource pods --watch drop --ms 5s`;

/** `cox cluster fault …`: light to define, loaded when called. */
export function withFaultCommands(cluster: Command, screen: Screen): void {
  const fault = cluster.command('fault').description('let the server of a running cluster fail by rule');
  const add = fault.command('add').description('add a rule').addHelpText('after', example);
  withActionFlags(withWhenFlags(withMatchFlags(add)))
    .option('--json <rule>', 'the whole rule as JSON, instead of all other flags')
    .addOption(nameOption())
    .action(async (flags: FaultFlags) => (await import('./fault.ts')).addFault(flags, screen));
  fault
    .command('list')
    .description('the rules, and how often they matched and fired')
    .addOption(nameOption())
    .action(async ({ name }: FaultFlags) => (await import('./fault.ts')).listFaults(name, screen));
  fault
    .command('remove <id>')
    .description('take a rule away')
    .addOption(nameOption())
    .action(async (id: string, { name }: FaultFlags) => (await import('./fault.ts')).removeFault(name, id, screen));
  fault
    .command('clear')
    .description('take all rules away')
    .addOption(nameOption())
    .action(async ({ name }: FaultFlags) => (await import('./fault.ts')).clearFaults(name, screen));
  fault
    .command('compact')
    .description('forget all past states now: older lists and watches get 410 Gone')
    .addOption(nameOption())
    .action(async ({ name }: FaultFlags) => (await import('./fault.ts')).compactNow(name, screen));
}
