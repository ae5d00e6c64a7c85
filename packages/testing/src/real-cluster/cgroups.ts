import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const mounts = '/sys/fs/cgroup';
/** `cpuset` of a new group is empty, and an empty one takes no process. */
const inherited = ['cpuset.cpus', 'cpuset.mems'];

/** Makes a cgroup of this name, below the one this process is in, in every hierarchy of version 1. Answers their folders. */
export async function makeCgroups(name: string): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const line of (await readFile('/proc/self/cgroup', 'utf8')).trim().split('\n')) {
    const [, controller = '', path = ''] = line.split(':');
    if (controller === '') continue;
    const parent = join(mounts, controller.replace('name=', ''), path);
    const folder = join(parent, name);
    await mkdir(folder, { recursive: true });
    if (controller === 'cpuset')
      for (const file of inherited) await writeFile(join(folder, file), await readFile(join(parent, file), 'utf8'));
    folders.push(folder);
  }
  return folders;
}

/** Removes a cgroup and all below it. Those that still have a process stay. */
async function removeTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
  await rmdir(folder).catch(() => undefined);
}

/** Removes what {@link makeCgroups} made, with all that was made in it. */
export async function removeCgroups(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await removeTree(folder);
}
