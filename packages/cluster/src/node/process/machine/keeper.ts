import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { type Clock, withTimeout } from '@coxswain/runtime/core';
import { childProcess } from '../../../late-modules.ts';
import { quoteAll } from './quote.ts';
import { runTool, ToolError } from './run-tool.ts';
import type { ToolName, Tools } from './tools.ts';

/** Device files that a container may use. */
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/**
 * What is mounted once and used by all: a folder in memory, and the device files, which nobody can change.
 * It ends when its standard input does, and with it all that is mounted here.
 */
function keeperScript(tools: Tools, run: string): string {
  const use = (name: ToolName) => quoteAll([tools.path(name)]);
  return `set -e
cd ${quoteAll([run])}
${use('mount')} -t tmpfs -o mode=711 coxswain memory
${use('mount')} -t tmpfs -o mode=755,size=64k coxswain dev
${use('mkdir')} dev/pts dev/shm
for one in ${devices.join(' ')}; do : > dev/$one; ${use('mount')} --bind /dev/$one dev/$one; done
: > dev/termination-log
ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr; ln -s pts/ptmx dev/ptmx
${use('mount')} -o remount,bind,ro dev
echo ready
read -r end || :`;
}

/**
 * A process that keeps a mount namespace (without privileges a user namespace, too) in which everything of this runtime is mounted, so that
 * the machine's own mounts stay as they are and nothing is left when this process ends, however it ends.
 */
export class Keeper {
  readonly #child: ChildProcess;
  readonly #tools: Tools;
  readonly #clock: Clock;
  readonly privileged: boolean;
  readonly pid: number;

  private constructor(child: ChildProcess, pid: number, tools: Tools, clock: Clock, privileged: boolean) {
    this.#child = child;
    this.pid = pid;
    this.#tools = tools;
    this.#clock = clock;
    this.privileged = privileged;
  }

  /**
   * @param run a folder with the empty folders `dev` and `memory`
   * @throws ToolError with what the machine does not allow
   */
  static async start(tools: Tools, run: string, clock: Clock, privileged: boolean): Promise<Keeper> {
    const namespaces = privileged ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
    const script = keeperScript(tools, run);
    const command = [tools.path('unshare'), ...namespaces, '--propagation', 'private', tools.path('sh'), '-c', script];
    const child = childProcess().spawn(tools.path('setpriv'), ['--pdeathsig', 'KILL', ...command], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    child.stdin.on('error', () => {});
    const said = await withTimeout(clock, 10_000, 'the namespace of the process runtime', () =>
      firstWords(child),
    ).catch((error: unknown) => ({ out: '', err: error instanceof Error ? error.message : String(error) }));
    if (said.out === 'ready' && child.pid !== undefined) return new Keeper(child, child.pid, tools, clock, privileged);
    child.kill('SIGKILL');
    throw new ToolError(said.err || 'mounts are not allowed');
  }

  /** Path of the user namespace; `undefined` when it is that of this process. */
  get userNamespace(): string | undefined {
    return this.privileged ? undefined : `/proc/${this.pid}/ns/user`;
  }

  /** Words that make a command run in this namespace. */
  enter(network?: string): readonly [string, ...string[]] {
    const user = this.privileged ? [] : ['--user', '--preserve-credentials'];
    const net = network === undefined ? [] : [`--net=${network}`];
    return [this.#tools.path('nsenter'), '--target', String(this.pid), ...user, '--mount', ...net, '--'];
  }

  /** Words that make a command run in the namespaces of a process of a container, and in a network unless it is the machine's. */
  join(pid: number, network: string | undefined): readonly string[] {
    const user = this.privileged ? [] : [`--user=${this.userNamespace}`, '--preserve-credentials'];
    const net = network === undefined ? [] : [`--net=${network}`];
    const all = ['--target', String(pid), ...user, '--mount', '--pid', '--ipc', '--uts', ...net];
    return [this.#tools.path('nsenter'), ...all, '--'];
  }

  /** A path of this machine as it is seen here: what is mounted by the keeper is seen only so. */
  seen(path: string): string {
    return `/proc/${this.pid}/root${path}`;
  }

  /** Runs a script of `sh` in this namespace; answers what it wrote. @throws ToolError */
  run(script: string): Promise<string> {
    return runTool([...this.enter(), this.#tools.path('sh'), '-ec', script], { clock: this.#clock });
  }

  /** Whether something is mounted at a folder. It is looked up: a `mount` that failed may have done its work all the same. */
  async isMounted(folder: string): Promise<boolean> {
    const deviceOf = (path: string) =>
      stat(this.seen(path)).then(
        ({ dev }) => dev,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
          return undefined;
        },
      );
    const [own, around] = await Promise.all([deviceOf(folder), deviceOf(dirname(folder))]);
    return own !== undefined && own !== around;
  }

  /** Takes off what is mounted at a folder, if anything is. @throws ToolError, as when it is in use */
  async unmount(folder: string): Promise<void> {
    if (await this.isMounted(folder)) await this.run(quoteAll([this.#tools.path('umount'), folder]));
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/** The first line a process writes, or what it complains of when it ends without one. */
async function firstWords(child: ChildProcess): Promise<{ readonly out: string; readonly err: string }> {
  let out = '';
  let err = '';
  return new Promise((resolve) => {
    const text = (stream: Readable | null, heard: (chunk: string) => void) =>
      stream?.setEncoding('utf8').on('data', heard);
    text(child.stdout, (chunk) => {
      out += chunk;
      if (out.includes('\n')) resolve({ out: out.trim(), err });
    });
    text(child.stderr, (chunk) => {
      err += chunk;
    });
    child.once('error', (error) => resolve({ out, err: error.message }));
    child.once('close', () => resolve({ out, err: err.trim() }));
  });
}
