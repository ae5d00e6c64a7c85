import { livesAgain } from './test-lives-again.ts';
import { livesOfBackups } from './test-lives-of-backups.ts';
import { livesOfPools } from './test-lives-of-pools.ts';
import { livesOfSets } from './test-lives-of-sets.ts';
import type { Life } from './test-steps.ts';

/** A life of each kind, and of what befalls some of them. */
export const lives: readonly Life[] = [...livesOfSets, ...livesOfBackups, ...livesOfPools, ...livesAgain];
