import type { StorageOptions } from './options.ts';
import { Store } from './store.ts';
import type { Storage } from './types.ts';

/**
 * Opens the store: an empty one in memory, or what `dir` holds.
 * @throws DataDirError when the directory cannot be used
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const store = new Store(options);
  if (options.dir !== undefined) {
    const { openDataDir } = await import('./data-dir.ts');
    openDataDir(store, { ...options, dir: options.dir });
  }
  return store;
}
