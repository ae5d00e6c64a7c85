import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { ObjectStore } from './object-store.ts';

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';
/** Ends the name of a file that is being written. */
const unfinished = '.new';

/** Objects as the files of a folder, which is made when the first is written. */
export function folderStore(root: string): ObjectStore {
  return {
    async put(key, body) {
      const path = join(root, key);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path + unfinished, body);
      await rename(path + unfinished, path);
    },
    async get(key) {
      try {
        return await readFile(join(root, key), 'utf8');
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async list(prefix = '') {
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(unfinished));
      const keys = files.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
      return keys.filter((key) => key.startsWith(prefix)).sort();
    },
  };
}
