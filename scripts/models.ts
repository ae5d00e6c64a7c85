/**
 * `./cox test models [--runs N] [--seed N]`: the informer store's model (two writers, late answers, a watch that lags, breaks
 * and lists again) through N random interleavings in all; default 1,000,000. Shared out over the machine's cores.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsOf } from './options.ts';
import { run } from './run.ts';

const model = 'packages/runtime/src/cache/object-store.model.test.ts';
/** The properties of the model; each plays interleavings of its own. */
const properties = 4;

interface Wanted {
  readonly runs: number;
  readonly seed: number;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

/** One process: `runs` interleavings of each property, from `seed`. A process without a report counts as one failed test. */
async function play(folder: string, { runs, seed }: Wanted): Promise<Report> {
  const file = join(folder, `${seed}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  await run('vitest', ['run', '--testTimeout=0', ...reporters, model], {
    COX_RUNS: String(runs),
    COX_SEED: String(seed),
  });
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? { numPassedTests: 0, numFailedTests: 1 } : (JSON.parse(text) as Report);
}

/** @returns the exit code: 0 when every property held */
export async function models(args: readonly string[]): Promise<number> {
  const wanted = optionsOf(args, { runs: 1_000_000, seed: 1 });
  if (!wanted) {
    process.stdout.write('usage: ./cox test models [--runs N] [--seed N]\n');
    return 2;
  }
  const { runs, seed } = wanted;
  const processes = Math.min(availableParallelism(), Math.ceil(runs / properties));
  const each = Math.ceil(runs / properties / processes);
  process.stdout.write(
    `${each * properties * processes} interleavings: ${processes} processes, ${each} for each of ${properties} properties, from seed ${seed}\n`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'cox-models-'));
  try {
    const parts = Array.from({ length: processes }, (_, i) => play(folder, { runs: each, seed: seed + i }));
    const reports = await Promise.all(parts);
    const passed = reports.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0);
    const failed = reports.reduce((sum, { numFailedTests }) => sum + numFailedTests, 0);
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    return failed === 0 && passed > 0 ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
