/** What it costs to import the framework, as an operator that is bundled into one file has it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
/** What is loaded on first use stays outside, as in a real bundle of an operator's own. */
const external = [/^node:/, /^(prom-client|re2js|undici)(\/|$)/];

interface Cost {
  /** Bytes of memory. */
  readonly rss: number;
  /** Microseconds of CPU. */
  readonly cpu: number;
}

const measured = (body: string) => `${body}
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify({ rss: process.memoryUsage().rss, cpu: user + system }));`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-import-'));
  const sources = await rolldown({
    input: fileURLToPath(new URL('./index.ts', import.meta.url)),
    platform: 'node',
    external,
    treeshake: false,
  });
  await sources.write({ file: join(folder, 'runtime.mjs'), format: 'esm', codeSplitting: false });
  await writeFile(join(folder, 'empty.mjs'), measured(''));
  await writeFile(join(folder, 'full.mjs'), measured("await import('./runtime.mjs');"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The least of three runs: what else the machine does only adds to it. */
async function costOf(program: string): Promise<Cost> {
  const costs: Cost[] = [];
  for (let i = 0; i < 3; i++) {
    const { stdout } = await run(process.execPath, [join(folder, program)], { env: {} });
    costs.push(JSON.parse(stdout) as Cost);
  }
  return { rss: Math.min(...costs.map(({ rss }) => rss)), cpu: Math.min(...costs.map(({ cpu }) => cpu)) };
}

it('costs less than 25 MB, and less CPU than three starts of Node', async () => {
  const [empty, full] = [await costOf('empty.mjs'), await costOf('full.mjs')];
  expect((full.rss - empty.rss) / 1e6).toBeLessThan(25);
  expect(full.cpu / empty.cpu).toBeLessThan(4);
});
