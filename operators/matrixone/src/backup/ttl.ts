import { messageOf, parseDuration } from '@coxswain/runtime/core';
import type { BackupJob, RestoreJob } from '../api/index.ts';

const defaultTtl = 3_600_000;

/** How long an object is kept after its end, and what is wrong with what it says about that: then it is kept for the default. */
export function ttlOf({ spec: { ttl } }: BackupJob | RestoreJob): {
  readonly milliseconds: number;
  readonly problem?: string;
} {
  if (!ttl) return { milliseconds: defaultTtl };
  try {
    const milliseconds = parseDuration(ttl);
    if (milliseconds >= 0) return { milliseconds };
    return { milliseconds: defaultTtl, problem: 'spec.ttl: must not be negative' };
  } catch (error) {
    return { milliseconds: defaultTtl, problem: `spec.ttl: ${messageOf(error)}` };
  }
}
