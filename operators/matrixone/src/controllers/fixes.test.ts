// What docs/decisions/011-matrixone-fixes.md names as proof must be there.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = new URL('../', import.meta.url);
const page = readFileSync(new URL('../../../../docs/decisions/011-matrixone-fixes.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('.test.ts`: '))
  .map((line) => {
    const [, what = '', , where = '', proof = ''] = line.split('|').map((cell) => cell.trim());
    const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(proof) ?? [];
    return { what, where, file, name };
  });

test('the page has its rows', () => {
  expect(rows.length).toBeGreaterThan(35);
});

test.each(rows)('$what: the test exists', ({ where, file, name }) => {
  expect(readFileSync(new URL(file, source), 'utf8')).toContain(name);
  const [, path] = /^`([^`]+)`$/.exec(where) ?? [];
  if (path !== undefined) expect(existsSync(new URL(path, source))).toBe(true);
});
