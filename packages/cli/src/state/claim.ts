import { join } from 'node:path';
import { DataDirError, type DirLock, lockDirectory } from '@coxswain/cluster';
import type { Logger } from '@coxswain/runtime/core';
import { UsageError } from '../errors.ts';

/**
 * Takes the name of a cluster for this process: of two that start at once, one gets it. Released when the process is gone.
 * @throws UsageError when another process has it
 */
export function claimName(home: string, name: string, log: Logger): DirLock {
  try {
    return lockDirectory(join(home, 'running'), log);
  } catch (error) {
    if (!(error instanceof DataDirError)) throw error;
    throw new UsageError(
      `a cluster named ${name} already runs or starts: stop it with cox cluster stop --name ${name}, or choose another --name`,
      { cause: error },
    );
  }
}
