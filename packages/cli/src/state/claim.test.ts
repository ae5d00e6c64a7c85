import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@coxswain/runtime/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UsageError } from '../errors.ts';
import { claimName } from './claim.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'cox-claim-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

it('has a name for one at a time, and leaves nothing behind, not even the folder of the cluster', async () => {
  const mine = await claimName(home, 'a', silentLogger);
  await expect(claimName(home, 'a', silentLogger)).rejects.toThrow(UsageError);
  mine.release();
  expect(existsSync(home)).toBe(false);
  const next = await claimName(home, 'a', silentLogger);
  next.release();
  next.release();
  expect(existsSync(home)).toBe(false);
});

it('leaves what else is in the folder of the cluster', async () => {
  await writeFile(join(home, 'cluster.log'), '');
  (await claimName(home, 'a', silentLogger)).release();
  expect(await readdir(home)).toEqual(['cluster.log']);
});

it('takes no file away that is not its own', async () => {
  const mine = await claimName(home, 'a', silentLogger);
  await writeFile(join(home, 'running', 'lock.takeover'), '');
  mine.release();
  expect(existsSync(join(home, 'running', 'lock.takeover'))).toBe(true);
});
