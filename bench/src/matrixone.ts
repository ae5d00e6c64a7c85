/**
 * `./cox bench matrixone [--clusters 1,20,200] [--idle 120] [--limit 600] [--out FOLDER] [--trace FILE]`: what the MatrixOne operator costs,
 * as a process of its own that its chart installs: seconds and API requests from the creation of clusters until all are Ready, for more and fewer compute
 * nodes, and for a new image; its CPU and memory; what it writes while nothing happens. So many clusters at once on simulated nodes, idle
 * for so many seconds. The table goes to standard output, and with all figures into `matrixone.md` and `matrixone.json` of a folder,
 * `.cox/bench` unless told; each request with its body into the file of `--trace`. `bench/README.md` says what is measured, and what stands in for
 * MatrixOne.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measure, type Result } from './matrixone/measure.ts';
import { table } from './matrixone/table.ts';
import { Trace } from './matrixone/trace.ts';

const text = (value: string) => ({ type: 'string', default: value }) as const;
const { values } = parseArgs({
  options: {
    clusters: text('1,20,200'),
    idle: text('120'),
    limit: text('600'),
    out: text(fileURLToPath(new URL('../../.cox/bench', import.meta.url))),
    trace: { type: 'string' },
  },
});

/** @throws Error when an option is no positive number */
function positive(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} ${value}: must be a whole number from 1`);
  return number;
}

const say = (line: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};
const sizes = values.clusters.split(',').map((one) => positive('clusters', one));
const [idle, limit] = [positive('idle', values.idle), positive('limit', values.limit)];
await using trace = values.trace === undefined ? undefined : await Trace.start(values.trace);
const results: Result[] = [];
await mkdir(values.out, { recursive: true });
for (const clusters of sizes) {
  results.push(await measure({ clusters, idle, limit, trace }, say));
  // After each, so that a run that is broken off has not been for nothing.
  await writeFile(join(values.out, 'matrixone.md'), table(results));
  await writeFile(join(values.out, 'matrixone.json'), `${JSON.stringify(results, undefined, 2)}\n`);
}
process.stdout.write(table(results));
