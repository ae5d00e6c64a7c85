import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../errors.ts';
import { withImageCommands } from './image-options.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cox-images-'));
  await mkdir(join(folder, 'mine'));
  await writeFile(
    join(folder, 'mine', 'image.json'),
    JSON.stringify({ names: ['example.com/mine:2'], description: 'My own' }),
  );
});
afterAll(() => rm(folder, { recursive: true }));

async function images(...args: readonly string[]): Promise<string> {
  let said = '';
  const program = new Command().exitOverride();
  const write = (text: string) => {
    said += text;
  };
  withImageCommands(program, { isTTY: false, rows: 24, columns: 80, write });
  await program.parseAsync(['images', ...args], { from: 'user' });
  return said;
}

test('images of own folders and those that come along are listed', async () => {
  const said = await images('list', '--images', folder);
  expect(said).toContain('example.com/mine:2\n    My own\n');
  expect(said).toContain('\nredis\n');
});

test('an image is packed under the name that is given', async () => {
  const output = join(folder, 'mine.tar');
  const said = await images('pack', 'mine', '--images', folder, '-o', output, '--name', 'registry.example.com/mine:3');
  expect(said).toMatch(/^registry\.example\.com\/mine:3\nsha256:[0-9a-f]{64}\n/);
  expect((await readFile(output)).includes('registry.example.com/mine:3')).toBe(true);
});

test('what cannot be packed is said', async () => {
  await expect(images('pack', 'nothing', '-o', join(folder, 'x'))).rejects.toThrow(UsageError);
  await expect(images('pack', 'pause', '-o', join(folder, 'none', 'x'))).rejects.toThrow('no such file or folder');
});
