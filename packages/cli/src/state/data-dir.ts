import { readdir, stat } from 'node:fs/promises';
import { codeOf, systemReason, UsageError } from '../errors.ts';

/** Names of what a cluster has in its data directory from the first moment on. */
const ours = /^(lock(\.takeover)?|log-\d{16}|snapshot-\d{16})$/;
/** What a fresh file system has at its top. */
const harmless = new Set(['lost+found']);

/**
 * Refuses what cannot be a data directory before anything is written to it: a file, or a folder full of something else.
 * A folder that does not exist yet is fine.
 * @throws UsageError
 */
export async function checkDataDir(dir: string): Promise<void> {
  let names: string[];
  try {
    if (!(await stat(dir)).isDirectory())
      throw new UsageError(`--data-dir ${dir} is a file; give a folder, which is made when it is missing`);
    names = await readdir(dir);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (codeOf(error) === 'ENOENT') return;
    throw new UsageError(`--data-dir ${dir} cannot be used: ${systemReason(error)}`, { cause: error });
  }
  const foreign = names.filter((name) => !harmless.has(name));
  if (foreign.length === 0 || foreign.some((name) => ours.test(name))) return;
  throw new UsageError(
    `--data-dir ${dir} has other things in it (${foreign.slice(0, 3).join(', ')}${foreign.length > 3 ? ' …' : ''}); give an empty folder, a cluster's data directory or a new name`,
  );
}
