/** The commands of `./cox` that write to a file or folder that is named. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './run.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-cox-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const cox = (...args: string[]) =>
  new Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>((resolve) => {
    execFile(join(root, 'cox'), args, { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

test.each(['pack', 'plugin', 'tools'])('%s takes no flag for the name of what it writes', async (command) => {
  for (const flag of ['--help', '-h'])
    expect(await cox(command, flag)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`usage: ./cox ${command} [`),
    });
  expect(await cox(command, '--nonsense')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`unknown argument --nonsense\\nusage: \\./cox ${command} \\[`)),
  });
  expect(await readdir(folder)).toEqual([]);
});
