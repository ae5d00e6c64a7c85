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

it('has a name for one at a time, and leaves nothing behind', async () => {
  const mine = await claimName(home, 'a', silentLogger);
  await expect(claimName(home, 'a', silentLogger)).rejects.toThrow(UsageError);
  mine.release();
  expect(await readdir(home)).toEqual([]);
  const next = await claimName(home, 'a', silentLogger);
  next.release();
  next.release();
  expect(await readdir(home)).toEqual([]);
});

it('takes no file away that is not its own', async () => {
  const mine = await claimName(home, 'a', silentLogger);
  await writeFile(join(home, 'running', 'lock.takeover'), '');
  mine.release();
  expect(existsSync(join(home, 'running', 'lock.takeover'))).toBe(true);
});
