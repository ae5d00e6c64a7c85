import { rmSync } from 'node:fs';
import { lockDirectory } from './dir-lock.ts';
import { DataDirError, messageOf } from './errors.ts';
import { leftovers, logPath } from './files.ts';
import { LogFile } from './log-file.ts';
import { LogJournal } from './log-journal.ts';
import type { StorageOptions } from './options.ts';
import { recover } from './replay.ts';
import type { Store } from './store.ts';

/** Fills an empty store from a directory, and writes down in it what the store commits from then on. */
export function openDataDir(store: Store, options: StorageOptions & { readonly dir: string }): void {
  const { dir, log } = options;
  const lock = lockDirectory(dir, log);
  try {
    for (const path of leftovers(dir)) rmSync(path, { force: true });
    const held = recover(dir, log);
    store.restore(held.revision, held.entries);
    const file = held.log ? new LogFile(held.log.path, held.log.size) : new LogFile(logPath(dir, held.revision + 1));
    store.attach(
      new LogJournal({
        ...options,
        file,
        lastSnapshotBytes: held.snapshotBytes,
        revision: held.revision,
        snapshot: () => ({
          revision: store.revision,
          entries: Array.from(store.all(), ({ key, json }) => [key, json] as const),
        }),
        release: () => lock.release(),
      }),
    );
  } catch (error) {
    lock.release();
    if (error instanceof DataDirError) throw error;
    throw new DataDirError(dir, `data directory ${dir} cannot be read (${messageOf(error)})`, { cause: error });
  }
}
