import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownerLives, ownerName } from './machine/owner.ts';
import { removeTree } from './machine/remove-tree.ts';

const prefix = 'coxswain-nodes-';

/** A folder for a cluster that keeps nothing. Those of processes that are gone are removed. */
export async function scratchFolder(): Promise<string> {
  const base = tmpdir();
  for (const name of await readdir(base))
    if (name.startsWith(prefix) && !ownerLives(name.slice(prefix.length)))
      // Of another user's nothing can be removed; that user's next start does it.
      await removeTree(join(base, name)).catch(() => {});
  return mkdtemp(join(base, `${prefix}${ownerName(process.pid) ?? process.pid}-`));
}
