/**
 * `charts.ts`: writes the files of the charts that are made from what operators declare, and removes those of kinds that are no more.
 * A test of the operator tells when that is due.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chartFiles } from '../operators/matrixone/src/chart/index.ts';
import { root } from './run.ts';

const chart = join(root, 'charts/matrixone-operator');
await rm(join(chart, 'files'), { recursive: true, force: true });
for (const [path, text] of chartFiles()) {
  await mkdir(dirname(join(chart, path)), { recursive: true });
  await writeFile(join(chart, path), text);
}
