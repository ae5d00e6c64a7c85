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

/** Field 22 of `/proc/PID/stat`, on systems that have it. */
export async function processStart(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
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
  if (!cluster) return undefined;
  const same = isAlive(cluster.pid) && (await processStart(cluster.pid)) === cluster.started;
  return same ? cluster : undefined;
}
