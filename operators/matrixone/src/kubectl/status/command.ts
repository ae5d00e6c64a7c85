import { sleep } from '@coxswain/runtime/core';
import { UnmetError, UsageError } from '../errors.ts';
import { type Format, formatOf, serialized } from '../output.ts';
import { type Session, unlessCutOff } from '../session.ts';
import { type Collected, collect } from './collect.ts';
import type { StatusReport } from './node.ts';
import { reports } from './report.ts';
import { treeLines } from './tree.ts';

/** Milliseconds between looks of a watch. */
const lookAgain = 2_000;

/** `status [NAME]`. @returns the exit code: 0 when all of it is ready and as its spec says, else 1 */
export async function status(session: Session): Promise<number> {
  const { line } = session;
  const [name, ...rest] = line.args;
  if (rest.length > 0) throw new UsageError('status takes one name at most');
  const format = formatOf(line);
  const wait = line.duration('timeout');
  if (wait !== undefined && !line.isSet('watch')) throw new UsageError('--timeout goes with --watch');
  if (line.isSet('watch')) return watch(session, name, format, wait);
  const found = await look(session, name);
  session.screen.write(await drawn(session, found.reports, format, name));
  tellUnread(session, found.unread);
  return exitCode(found.reports);
}

interface Look {
  readonly reports: readonly StatusReport[];
  readonly unread: Collected['unread'];
}

async function look(session: Session, name: string | undefined): Promise<Look> {
  const { client, clock, line, namespace, note, signal } = session;
  const all = line.isSet('all-namespaces');
  const found = await collect(client, all ? undefined : namespace, signal);
  const told = reports(found, clock.now(), name);
  const where = all ? 'any namespace' : `namespace ${namespace}`;
  if (told.length === 0 && name !== undefined) throw new UnmetError(`there is no MatrixOne "${name}" in ${where}`);
  if (told.length === 0 && !line.isSet('watch')) note(`there is no MatrixOne in ${where}`);
  return { reports: told, unread: found.unread };
}

function exitCode(told: readonly StatusReport[]): number {
  return told.every(({ health }) => health === 'ok') ? 0 : 1;
}

function tellUnread({ note }: Session, unread: readonly string[]): void {
  for (const why of unread) note(`not shown: ${why}`);
}

async function drawn(
  { clock, screen: { colour } }: Session,
  told: readonly StatusReport[],
  format: Format,
  name: string | undefined,
): Promise<string> {
  if (format === 'json' || format === 'yaml')
    return serialized(name !== undefined && told.length === 1 ? told[0] : { items: told }, format);
  const options = { now: clock.now(), wide: format === 'wide', colour };
  return told.map((report) => `${treeLines(report, options).join('\n')}\n`).join('\n');
}

/** Shows it again whenever it changes; on a terminal in place of what was there. */
async function watch(
  session: Session,
  name: string | undefined,
  format: Format,
  timeout: number | undefined,
): Promise<number> {
  const { clock, screen, signal } = session;
  const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + timeout;
  let shown = '';
  for (;;) {
    const found = await unlessCutOff(() => look(session, name));
    const isFound = typeof found !== 'string';
    if (!isFound) session.note(`${found}; trying again`);
    else {
      const text = await drawn(session, found.reports, format, name);
      if (shown === '') tellUnread(session, found.unread);
      if (screen.isTTY) screen.write(`\u001b[H\u001b[J${cut(text, screen)}`);
      // ages alone are no news
      else if (withoutAges(text) !== withoutAges(shown)) screen.write(shown === '' ? text : `\n${text}`);
      shown = text;
    }
    if (clock.monotonic() + lookAgain > deadline) {
      // a picture has no line end, and the prompt comes after it
      if (screen.isTTY) screen.write('\n');
      return isFound ? exitCode(found.reports) : 1;
    }
    await sleep(clock, lookAgain, signal);
  }
}

function withoutAges(text: string): string {
  return text.replace(/\b(\d+[dhms])+\b|"(seconds|drainSecondsLeft)": \d+/g, '');
}

/** As much as the terminal has room for. Colours take none. */
function cut(text: string, { rows, columns }: Session['screen']): string {
  const lines = text.split('\n');
  const room = Math.max(1, rows - 1);
  const kept = lines.length > room ? [...lines.slice(0, room - 1), `… ${lines.length - room} more lines`] : lines;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of marks, which are ours
  const visible = (line: string) => line.replace(/\u001b\[\d+m/g, '').length;
  return kept.map((line) => line.slice(0, columns - 1 + line.length - visible(line))).join('\n');
}
