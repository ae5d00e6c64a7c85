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
 * Takes the name of a cluster for this process: of two that start at once, one gets it. Released when the process is gone.
 * @throws UsageError when another process has it
 */
export async function claimName(home: string, name: string, log: Logger): Promise<DirLock> {
  try {
    return lockDirectory(join(home, 'running'), log);
  } catch (error) {
    if (!(error instanceof DataDirError)) throw error;
    if (error.cause === undefined) throw nameTaken(name, await readProcessFile(home));
    throw new UsageError(`cannot write to the folder ${home}: ${systemReason(error.cause)}; set COX_HOME to another`, {
      cause: error,
    });
  }
}
