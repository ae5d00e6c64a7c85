import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Gives this user the right to look into folders that it has, but may not enter. */
async function open(path: string): Promise<void> {
  await chmod(path, 0o700).catch(() => {});
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) await open(join(path, entry.name));
}

/**
 * Removes a folder with all that is in it, also what a container has made with modes that keep its owner out.
 */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
    await open(path);
    await rm(path, { recursive: true, force: true });
  });
}
