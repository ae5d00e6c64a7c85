import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { longSuites } from './matrixone.ts';

const folder = 'operators/matrixone/src/e2e';

test('what a plain run of the tests skips is asked for by ./cox test matrixone, so that nothing is run by nobody', () => {
  const files = readdirSync(new URL(`../${folder}/`, import.meta.url)).filter((name) => name.endsWith('.test.ts'));
  const skipped = files.filter((name) => {
    const text = readFileSync(new URL(`../${folder}/${name}`, import.meta.url), 'utf8');
    return /COX_MATRIXONE|MO_SERVICE/.test(text);
  });
  expect(skipped).toContain('real-service.test.ts');
  const asked = [...longSuites, `${folder}/backup`];
  const missed = skipped.filter((name) => !asked.some((suite) => `${folder}/${name}`.startsWith(suite)));
  expect(missed).toEqual([]);
});
