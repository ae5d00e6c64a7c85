import { type Clock, messageOf } from '@coxswain/runtime/core';
import { takeBackup } from './backup.ts';
import { restoreBackup } from './restore.ts';

/** What the program has from its process. */
export interface Surroundings {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the file of records is, unless a flag says so. */
  readonly folder: string;
  readonly newId: () => string;
  readonly say: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** @returns the exit code: 0 when it is done, 1 for whatever went wrong, which has been said */
export async function runProgram(
  [command = '', ...args]: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  try {
    if (command === 'backup') await takeBackup(args, surroundings);
    else if (command === 'restore') await restoreBackup(args, surroundings);
    else
      throw new Error(`unknown command ${JSON.stringify(command)} for "mo_br"; this stand-in has backup and restore`);
    return 0;
  } catch (error) {
    surroundings.complain(`Error: ${messageOf(error)}\n`);
    return 1;
  }
}
