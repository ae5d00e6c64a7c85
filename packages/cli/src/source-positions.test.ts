import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { showSourcePositions } from './source-positions.ts';

const { prepareStackTrace } = Error;
afterEach(() => {
  Error.prepareStackTrace = prepareStackTrace;
});

async function withProgram(map: string | undefined, run: (program: string, fail: () => Error) => void): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'cox-positions-'));
  try {
    const program = join(dir, 'program.mjs');
    await writeFile(program, 'export const fail = () => new Error("broken");\n');
    if (map !== undefined) await writeFile(`${program}.map`, map);
    const { fail } = (await import(/* @vite-ignore */ pathToFileURL(program).href)) as { fail: () => Error };
    run(program, fail);
  } finally {
    await rm(dir, { recursive: true });
  }
}

test('a stack names the source file and line', async () => {
  // all of line 1 comes from line 3 of the source
  const map = { version: 3, sources: ['../src/a.ts'], names: [], mappings: 'AAEA' };
  await withProgram(JSON.stringify(map), (program, fail) => {
    showSourcePositions(program);
    const [message, first, second] = String(fail().stack).split('\n');
    expect(message).toBe('Error: broken');
    expect(first).toMatch(/^ {4}at fail \(\/.*\/src\/a\.ts:3:1\)$/);
    expect(second).toContain('source-positions.test.ts');
  });
});

test('without a map stacks stay as they are', async () => {
  await withProgram(undefined, (program) => {
    showSourcePositions(program);
    expect(Error.prepareStackTrace).toBe(prepareStackTrace);
  });
});
