import { readFileSync } from 'node:fs';
import type { ContainerUsage } from '../../runtime.ts';

/** Processes that a process has started; none when it is gone. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Sends a signal to a process, or with a negative number to its group; one that is gone does not mind. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const ticksPerSecond = 100;
const pageSize = 4096;

/** What a process and all below it use, as far as they are still there. */
export function usageOf(pid: number): ContainerUsage {
  let cpu = 0;
  let memory = 0;
  try {
    // The name of the program, in parentheses, may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    // Its own time, and that of children that have ended.
    cpu = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticksPerSecond;
    memory = Number(fields[21]) * pageSize;
  } catch {
    return { cpu, memory };
  }
  for (const child of childrenOf(pid)) {
    const below = usageOf(child);
    cpu += below.cpu;
    memory += below.memory;
  }
  return { cpu, memory };
}
