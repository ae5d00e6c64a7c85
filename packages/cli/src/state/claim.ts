import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirError, type DirLock, lockDirectory } from '@coxswain/cluster';
import type { Logger } from '@coxswain/runtime/core';
import { systemReason, UsageError } from '../errors.ts';
import { readProcessFile } from './process-file.ts';

/** The refusal of a name that another process has. */
export function nameTaken(name: string, other: { readonly pid: number; readonly url: string } | undefined): UsageError {
  const which = other ? `(pid ${other.pid}, ${other.url})` : 'or starts just now';
  return new UsageError(
    `a cluster named ${name} already runs ${which}; choose another name with --name, or stop it with: cox cluster stop --name ${name}`,
  );
}

/**
 * Takes the name of a cluster for this process: of two that start at once, one gets it. Released when the process is gone; a release leaves
 * nothing behind, and the cluster's home only when there is something in it.
 * @throws UsageError when another process has it
 */
export async function claimName(home: string, name: string, log: Logger, tries = 3): Promise<DirLock> {
  const folder = join(home, 'running');
  try {
    return releasedWhole([folder, home], lockDirectory(folder, log));
  } catch (error) {
    if (!(error instanceof DataDirError)) throw error;
    if (error.cause === undefined) throw nameTaken(name, await readProcessFile(home));
    // The one that had the name took the folder away just now.
    if (hasCode(error.cause, 'ENOENT') && tries > 1) return claimName(home, name, log, tries - 1);
    throw new UsageError(`cannot write to the folder ${home}: ${systemReason(error.cause)}; set COX_HOME to another`, {
      cause: error,
    });
  }
}

/**
 * The lock has a folder of its own, as a data-dir may be the cluster's home.
 * @param folders go one after the other, as long as they are empty: another process may be in them
 */
function releasedWhole(folders: readonly string[], lock: DirLock): DirLock {
  return {
    release() {
      lock.release();
      for (const folder of folders) removeEmpty(folder);
    },
  };
}

/** One that cannot go harms nobody: it has something in it, or another process has taken it away, or it is a mount point. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // stays
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
