import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCrashTrial } from './crash-trial.ts';

test.each(['always', 'interval', 'off'] as const)('kill -9 loses no acknowledged write, fsync %s', async (fsync) => {
  const dir = mkdtempSync(join(tmpdir(), 'cox-crash-'));
  // A new seed each time; a failure tells which, and COX_SEED repeats it.
  const seed = Number(process.env.COX_SEED ?? process.pid);
  try {
    const result = await runCrashTrial({ dir, writes: 600, kills: 2, seed, fsync });
    expect(result.lost, `seed ${seed}`).toEqual([]);
    expect(result.acknowledged).toBeGreaterThanOrEqual(600);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
