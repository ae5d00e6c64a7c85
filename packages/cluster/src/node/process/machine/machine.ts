import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger } from '@coxswain/runtime/core';
import { Keeper } from './keeper.ts';
import { MemoryGroups } from './memory-groups.ts';
import { Pipes } from './pipes.ts';
import { removeTree } from './remove-tree.ts';
import { planRoot, type RootPiece } from './root-plan.ts';
import { prepareRoot, rootScript } from './root-script.ts';
import { runTool, ToolError } from './run-tool.ts';
import { findTools, type ToolName, type Tools } from './tools.ts';

/** How a container gets a root of its own. */
export interface Isolation {
  readonly keeper: Keeper;
  readonly root: readonly RootPiece[];
  /** Whether layers take writes without bringing them to the disk when a program asks for it: they live no longer than the container. */
  readonly volatile: boolean;
}

/** What this machine can do for containers, found out once. */
export interface Machine {
  readonly tools: Tools;
  /** Absent: containers are plain processes that see the machine as it is. */
  readonly isolation?: Isolation;
  /** Why there is no isolation, for the user. */
  readonly lacks?: string;
  readonly pipes: Pipes;
  /** Absent: memory is not limited. */
  readonly memory?: MemoryGroups;
  /** Runs one of the tools to its end. @throws ToolError */
  run(tool: ToolName, ...args: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

const needed: readonly ToolName[] = [
  'mkdir',
  'mount',
  'nsenter',
  'pivot_root',
  'rmdir',
  'setpriv',
  'sh',
  'tar',
  'umount',
  'unshare',
];

/** Whether a root can be put together: tried in a namespace that is gone at once. */
async function tryRoot(tools: Tools, keeper: Keeper, folder: string, clock: Clock): Promise<Isolation> {
  const root = await planRoot(keeper.privileged);
  let refused: unknown;
  for (const volatile of [true, false]) {
    const place = await mkdtemp(join(folder, 'trial-'));
    await prepareRoot({ keeper, root, volatile }, place);
    const script = rootScript(tools, { keeper, root, volatile }, place);
    const unshare = [tools.path('unshare'), '--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child', '--'];
    try {
      await runTool([...keeper.enter(), ...unshare, tools.path('sh'), '-ec', script], { clock, timeout: 10_000 });
      return { keeper, root, volatile };
    } catch (error) {
      refused = error;
    } finally {
      await removeTree(place);
    }
  }
  throw refused;
}

async function isolate(tools: Tools, run: string, clock: Clock): Promise<Isolation> {
  const missing = tools.missing(...needed);
  if (missing.length > 0) throw new ToolError(`${missing.join(', ')} of util-linux and tar are needed`);
  const privileged = process.getuid?.() === 0;
  const keeper = await Keeper.start(tools, run, clock, privileged);
  try {
    return await tryRoot(tools, keeper, run, clock);
  } catch (error) {
    await keeper.stop();
    throw error;
  }
}

export interface MachineOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** False: containers are plain processes, whatever is possible. */
  readonly isolate: boolean;
}

/**
 * Finds out what this machine can do.
 * @param run a folder for what lives as long as this process; it is emptied
 */
export async function openMachine(run: string, { clock, log, isolate: wanted }: MachineOptions): Promise<Machine> {
  await removeTree(run);
  for (const name of ['dev', 'memory', 'pipes']) await mkdir(join(run, name), { recursive: true });
  const tools = await findTools(process.env['PATH'] ?? '');
  const pipes = new Pipes(tools, join(run, 'pipes'), clock);
  const memory = await MemoryGroups.open(clock, log);
  const close = async (isolation?: Isolation) => {
    await isolation?.keeper.stop();
    await memory?.close();
    await removeTree(run);
  };
  const runOne = (tool: ToolName, ...args: readonly string[]) => runTool([tools.path(tool), ...args], { clock });
  const all = { tools, pipes, run: runOne, ...(memory ? { memory } : {}) };
  try {
    if (!wanted) throw new ToolError('the node runs its containers as plain processes');
    const isolation = await isolate(tools, run, clock);
    return { ...all, isolation, close: () => close(isolation) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    log.warn({ why: error.message }, 'containers are plain processes on this machine');
    return { ...all, lacks: error.message, close: () => close() };
  }
}
