import { chmod, chown, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { VolumeFile } from '../../runtime.ts';

/** The link that all files are reached by: when it leads elsewhere, all of them have changed. */
const current = '..data';

function checked(path: string): string {
  const parts = path.split('/');
  if (
    path === '' ||
    path.startsWith('/') ||
    parts.some((part) => part === '..' || part === '') ||
    path.startsWith('..')
  )
    throw new Error(`a file of a volume cannot be called ${JSON.stringify(path)}`);
  return path;
}

async function write(folder: string, files: ReadonlyMap<string, VolumeFile>, group: number | undefined): Promise<void> {
  await chmod(folder, 0o755);
  for (const [path, { bytes, mode }] of files) {
    const file = join(folder, checked(path));
    await mkdir(dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, bytes);
    if (group !== undefined) await chown(file, -1, group);
    await chmod(file, group === undefined ? mode : mode | 0o440);
  }
}

/** What the user sees in the folder: a link for each first part of the paths. */
async function link(folder: string, names: ReadonlySet<string>): Promise<void> {
  const there = (await readdir(folder)).filter((name) => !name.startsWith('..'));
  for (const name of names) if (!there.includes(name)) await symlink(join(current, name), join(folder, name));
  for (const name of there) if (!names.has(name)) await rm(join(folder, name), { force: true });
}

/**
 * Makes the files of a volume those given, all at once: who reads sees either the old ones or the new ones.
 * @param stamp a name that was not used here before
 * @param group that may read the files, besides
 */
export async function writeAtomically(
  folder: string,
  files: ReadonlyMap<string, VolumeFile>,
  stamp: string,
  group: number | undefined,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const before = await readlink(join(folder, current)).catch(() => undefined);
  const next = `..${stamp}`;
  try {
    await mkdir(join(folder, next));
    await write(join(folder, next), files, group);
  } catch (error) {
    await rm(join(folder, next), { recursive: true, force: true });
    throw error;
  }
  const draft = join(folder, '..data_tmp');
  await rm(draft, { force: true });
  await symlink(next, draft);
  await rename(draft, join(folder, current));
  await link(folder, new Set([...files.keys()].map((path) => path.split('/', 1)[0] ?? path)));
  if (before !== undefined && before !== next) await rm(join(folder, before), { recursive: true, force: true });
}
