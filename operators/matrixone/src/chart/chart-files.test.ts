import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chartFiles } from './index.ts';

const chart = fileURLToPath(new URL('../../../../charts/matrixone-operator', import.meta.url));

test('the chart has what the operator declares; `node scripts/charts.ts` writes it', async () => {
  const found = new Map<string, string>();
  for (const folder of ['files', 'files/crds'])
    for (const entry of await readdir(join(chart, folder), { withFileTypes: true }))
      if (entry.isFile()) {
        const path = `${folder}/${entry.name}`;
        found.set(path, await readFile(join(chart, path), 'utf8'));
      }
  const made = chartFiles();
  expect([...found.keys()].sort()).toEqual([...made.keys()].sort());
  for (const [path, text] of made) expect(found.get(path) === text, `${path} is not as declared`).toBe(true);
});
