import { access, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeCgroups } from './cgroups.ts';

/** What a cluster's folder and its cgroups are called; the process that made them is in their names. */
export const prefix = 'coxswain-real';

const ours = new RegExp(`^${prefix}-(\\d+)-`);

async function abandoned(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = ours.exec(name)?.[1];
    const lives =
      owner === undefined ||
      (await access(`/proc/${owner}`).then(
        () => true,
        () => false,
      ));
    if (!lives) found.push(join(folder, name));
  }
  return found;
}

/** Removes what clusters left whose process was killed: folders and empty cgroups. All else went with the process. */
export async function removeLeftovers(): Promise<void> {
  for (const folder of await abandoned(tmpdir())) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  for (const line of (await readFile('/proc/self/cgroup', 'utf8')).trim().split('\n')) {
    const [, controller = '', path = ''] = line.split(':');
    if (controller === '') continue;
    await removeCgroups(await abandoned(join('/sys/fs/cgroup', controller.replace('name=', ''), path)));
  }
}
