import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../errors.ts';

/** A cluster that runs in a process of its own. */
export interface RunningCluster {
  readonly pid: number;
  /** Start time of the process as the system counts it, so that a reused pid is not taken for it; `''` where unknown. */
  readonly started: string;
  readonly url: string;
  readonly kubeconfig: string;
  readonly dataDir?: string;
}

/** State (field 3) and start time (field 22) of a process from the text of `/proc/PID/stat`; empty where there is none. */
export function parseStat(stat: string): { readonly state: string; readonly started: string } {
  // the name in parentheses may hold anything
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', started: fields[19] ?? '' };
}

async function statOf(pid: number): Promise<ReturnType<typeof parseStat>> {
  return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
}

/** When a process started, in the system's count; `''` on systems without `/proc`. */
export async function processStart(pid: number): Promise<string> {
  return (await statOf(pid)).started;
}

const fileIn = (home: string) => join(home, 'cluster.json');

export async function writeProcessFile(home: string, cluster: RunningCluster): Promise<void> {
  const file = fileIn(home);
  await writeFile(`${file}.new`, `${JSON.stringify(cluster)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export async function removeProcessFile(home: string): Promise<void> {
  await rm(fileIn(home), { force: true });
}

function signals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Whether the process that wrote `cluster` still runs: not another with its pid, nor what is left of it until its parent looks. */
export async function isRunning(cluster: RunningCluster): Promise<boolean> {
  if (!signals(cluster.pid)) return false;
  const { state, started } = await statOf(cluster.pid);
  return started === cluster.started && state !== 'Z' && state !== 'X';
}

/** A disk that was full can leave a file without a cluster in it. */
function parse(text: string): RunningCluster | undefined {
  try {
    const cluster = JSON.parse(text) as RunningCluster | null;
    return Number.isInteger(cluster?.pid) ? (cluster ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** The running cluster of `home`; `undefined` when none runs (a file left behind by a killed process is no cluster). */
export async function readProcessFile(home: string): Promise<RunningCluster | undefined> {
  const text = await readFile(fileIn(home), 'utf8').catch(() => undefined);
  const cluster = text === undefined ? undefined : parse(text);
  return cluster && (await isRunning(cluster)) ? cluster : undefined;
}
