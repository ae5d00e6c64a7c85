import { dirname, join } from 'node:path';
import type { Isolation, Machine } from '../machine/machine.ts';
import { quote, quoteAll } from '../machine/quote.ts';
import { oldRoot, rootScript } from '../machine/root-script.ts';
import type { ToolName } from '../machine/tools.ts';
import { type Mount, tableLine } from './mounts.ts';

/**
 * Scripts talk with this process: descriptor 2 takes what they report (`pid N`, `ready`, or what is wrong), and from 3 comes a line when the
 * program may begin. Should this process be gone, no line comes, and the script ends. 4 is what the program gets as its standard error.
 */
const opening = 'set -e';

const closing = (words: readonly string[], last: string) => `echo ready >&2
read -r go <&3
${last}
exec ${quoteAll(words)} 3<&- 2>&4 4>&-`;

function findProgram(program: string, path: string): string {
  const missing = program.includes('/') ? `no such file or directory` : `executable file not found in $PATH`;
  const text = `exec: ${JSON.stringify(program)}: ${missing}`;
  const check = `PATH=${quote(path)} command -v ${quote(program)} > /dev/null`;
  return `${check} || { printf '%s\\n' ${quote(text)} >&2; exit 127; }`;
}

export interface ScriptEnd {
  readonly workingDir: string;
  /** To be looked up before. */
  readonly program: string;
  /** The value of PATH. */
  readonly path: string;
  /** What the script becomes. */
  readonly words: readonly string[];
}

/** @param last what is done when the program may begin */
function end(machine: Machine, { workingDir, program, path, words }: ScriptEnd, last = ''): string[] {
  const folder = quote(workingDir);
  const lines = [`[ -d ${folder} ] || ${quote(machine.tools.path('mkdir'))} -p ${folder}`, `cd ${folder}`];
  return [...lines, findProgram(program, path), closing(words, last)];
}

export interface RootedStart extends ScriptEnd {
  readonly isolation: Isolation;
  /** For this run alone. */
  readonly folder: string;
  /** Runtime's own folder, with `dev` and `memory`. */
  readonly run: string;
  readonly podUid: string;
  readonly hostname: string;
  /** Volumes and files of the network; outer places come first. */
  readonly mounts: readonly Mount[];
  /** A tar file with what the image lays over the machine's files. */
  readonly layer: string | undefined;
  /** A folder that containers do not see. */
  readonly hidden: string;
  readonly readOnlyRoot: boolean;
}

/** What every container sees besides its volumes. */
function systemTable({ run, podUid, hidden }: RootedStart): string[] {
  return [
    'proc /proc proc nosuid,nodev,noexec,X-mount.mkdir 0 0',
    `${oldRoot}${run}/dev /dev none rbind,X-mount.mkdir 0 0`,
    'devpts /dev/pts devpts newinstance,ptmxmode=0666,mode=620 0 0',
    `${oldRoot}${run}/memory/${podUid} /dev/shm none bind 0 0`,
    `${oldRoot}/sys /sys none rbind,ro,X-mount.mkdir 0 0`,
    `coxswain ${hidden} tmpfs ro,size=4k,mode=755,X-mount.mkdir 0 0`,
  ];
}

/** The table of all that is mounted in a container, for `mount`. */
export function mountTable(start: RootedStart): string {
  return `${[...systemTable(start), ...start.mounts.map(tableLine)].join('\n')}\n`;
}

/** The name of the {@link mountTable} in the folder of a run. */
export const tableName = 'mounts';

/** The script that becomes a container with a root of its own. */
export function rootedScript(machine: Machine, start: RootedStart): string {
  const { folder, run, podUid, hostname, mounts, layer, isolation } = start;
  const use = (name: ToolName) => quote(machine.tools.path(name));
  const memory = quote(join(run, 'memory', podUid));
  const files = mounts.filter(({ file }) => file).map(({ target }) => target);
  const lines = [
    opening,
    'read -r pid rest < /proc/self/stat',
    'echo "pid $pid" >&2',
    `[ -d ${memory} ] || ${use('mkdir')} -m 1777 ${memory}`,
    rootScript(machine.tools, isolation, folder),
  ];
  if (layer)
    lines.push(`${use('tar')} -C / -p --keep-directory-symlink --no-overwrite-dir -xf ${quote(oldRoot + layer)}`);
  if (files.length > 0) {
    for (const folder of new Set(files.map((path) => quote(dirname(path)))))
      lines.push(`[ -d ${folder} ] || ${use('mkdir')} -p ${folder}`);
    // A link would lead to a place that is not there yet.
    for (const file of files.map(quote)) lines.push(`[ ! -L ${file} ] || rm ${file}`, `[ -e ${file} ] || : > ${file}`);
  }
  lines.push(`${use('mount')} -n -a -T ${quote(oldRoot + join(folder, tableName))}`);
  lines.push(`echo ${quote(hostname)} > /proc/sys/kernel/hostname 2> /dev/null || ${setHostname(machine, hostname)}`);
  lines.push(`${use('umount')} -l ${oldRoot}`, `${use('rmdir')} ${oldRoot}`);
  const last = end(machine, start);
  if (start.readOnlyRoot) last.splice(1, 0, `${use('mount')} -n -o remount,bind,ro /`);
  return [...lines, ...last].join('\n');
}

function setHostname({ tools }: Machine, hostname: string): string {
  return tools.has('hostname') ? `${quote(tools.path('hostname'))} ${quote(hostname)}` : ':';
}

/** The script that becomes a program that sees the machine as it is. It ends, with all its group, when this process is gone. */
export function plainScript(machine: Machine, start: ScriptEnd): string {
  const watcher = '{ exec 4>&- > /dev/null 2>&1; while read -r line; do :; done; kill -9 0; } <&3 &';
  return [opening, 'echo "pid $$" >&2', ...end(machine, start, watcher)].join('\n');
}

/** The script that becomes a command in a container that runs. */
export function commandScript(machine: Machine, start: ScriptEnd): string {
  return [opening, ...end(machine, start)].join('\n');
}
