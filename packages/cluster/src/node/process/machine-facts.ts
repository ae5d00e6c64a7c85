import { mkdir, readFile, statfs } from 'node:fs/promises';
import { availableParallelism, release, totalmem } from 'node:os';

/** What a node shows of the machine it is on. */
export interface MachineFacts {
  /** Each node of the machine believes to have it all. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly kernel: string;
  readonly osImage: string;
}

/** @param folder where pods and volumes are to be kept; it is made */
export async function machineFacts(folder: string): Promise<MachineFacts> {
  await mkdir(folder, { recursive: true });
  const [{ blocks, bsize }, system] = await Promise.all([
    statfs(folder),
    readFile('/etc/os-release', 'utf8').catch(() => ''),
  ]);
  return {
    capacity: {
      cpu: String(availableParallelism()),
      memory: `${Math.floor(totalmem() / 1024)}Ki`,
      pods: '110',
      'ephemeral-storage': `${Math.floor((blocks * bsize) / 1024)}Ki`,
    },
    kernel: release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(system)?.[1] || 'Linux',
  };
}
