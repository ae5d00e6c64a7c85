import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkDataDir } from './data-dir.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cox-data-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const put = (name: string) => writeFileSync(join(dir, name), '');

describe('checkDataDir', () => {
  it('takes what is missing, empty or a cluster’s', async () => {
    await checkDataDir(join(dir, 'new', 'deep'));
    await checkDataDir(dir);
    put('log-0000000000000001');
    put('notes.txt');
    await checkDataDir(dir);
  });

  it('refuses a file', async () => {
    put('file');
    await expect(checkDataDir(join(dir, 'file'))).rejects.toThrow(/file is a file; give a folder/);
    await expect(checkDataDir(join(dir, 'file', 'deep'))).rejects.toThrow(/a part of the path is a file/);
  });

  it('refuses a folder of something else, and names it', async () => {
    put('package.json');
    await expect(checkDataDir(dir)).rejects.toThrow(/has other things in it \(package\.json\); give an empty folder/);
  });
});
