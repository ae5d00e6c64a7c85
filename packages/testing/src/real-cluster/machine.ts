import { readFile } from 'node:fs/promises';
import type { Clock } from '@coxswain/runtime/core';
import { type Child, startChild, untilReady } from '../control-plane/child.ts';
import { type RunOptions, runProgram } from '../run-program.ts';

/** Namespaces, held by one process: when it is killed, all that runs in them is gone, and so are mounts and devices. */
export interface Machine {
  readonly name: string;
  /** As the machine that this program runs on counts. */
  readonly pid: number;
  /** The program and what it is started with, so that it runs in here; it dies with this process, however that ends. */
  start(name: string, command: readonly [string, ...string[]]): Child;
  /** Runs a program in here to its end, and answers its output. */
  run(command: readonly [string, ...string[]], options?: Partial<RunOptions>): Promise<string>;
  /** Pulls the plug. */
  kill(): Promise<void>;
}

/** Dies with the thread that started it; `setpriv` is replaced by what it runs. */
const tied = ['--pdeathsig', 'KILL'] as const;

function machineOf(clock: Clock, name: string, holder: Child, pid: number, enter: readonly string[]): Machine {
  return {
    name,
    pid,
    start: (program, command) =>
      startChild(clock, `${program} of ${name}`, 'setpriv', [...tied, 'nsenter', ...enter, ...command]),
    run: (command, options) => runProgram('nsenter', [...enter, ...command], { cwd: '/', timeout: 60_000, ...options }),
    kill: async () => {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // gone already
      }
      await holder.stop();
    },
  };
}

/** A network and nothing else: where the control plane runs. */
export async function startNetwork(clock: Clock, name: string): Promise<Machine> {
  const script = 'echo ready; exec sleep infinity';
  const holder = startChild(clock, name, 'setpriv', [...tied, 'unshare', '--net', 'sh', '-c', script]);
  await untilReady(clock, holder, async () => holder.said().includes('ready'), 10_000);
  return machineOf(clock, name, holder, holder.pid, ['-t', String(holder.pid), '--net']);
}

async function childOf(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')[0] || -1);
}

/** What is run in a node joins the node's cgroup in every hierarchy, or the kubelet would not find itself. */
const join = 'for one in /sys/fs/cgroup/*/; do echo $$ >"$one/cgroup.procs"; done; exec "$@"';

/**
 * A whole machine: mounts, processes, network, names and cgroups of its own.
 * @param cgroups folders of a cgroup in each hierarchy, which are there and empty
 * @param init the first process; it says `ready`
 */
export async function startNode(
  clock: Clock,
  name: string,
  cgroups: readonly string[],
  init: readonly [string, ...string[]],
): Promise<Machine> {
  const namespaces = ['--mount', '--propagation', 'private', '--pid', '--net', '--uts', '--ipc', '--cgroup'];
  const script = `count=$1; shift; while [ "$count" -gt 0 ]; do echo $$ >"$1/cgroup.procs"; shift; count=$((count - 1)); done; exec "$@"`;
  const unshare = ['unshare', ...namespaces, '--fork', '--kill-child', '--mount-proc', ...init];
  const args = ['sh', '-c', script, 'sh', String(cgroups.length), ...cgroups, ...unshare];
  const holder = startChild(clock, name, 'setpriv', [...tied, ...args]);
  await untilReady(clock, holder, async () => /^ready$/m.test(holder.said()), 20_000);
  const pid = await childOf(holder.pid);
  const enter = ['-t', String(pid), '--mount', '--pid', '--net', '--uts', '--ipc', '--cgroup', 'sh', '-c', join, 'sh'];
  return machineOf(clock, name, holder, pid, enter);
}
