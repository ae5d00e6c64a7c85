// What docs/decisions/011-matrixone-fixes.md names as proof must be there.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = new URL('../', import.meta.url);
const root = new URL('../../../../', import.meta.url);
/** Where a path of the page leads; what is not below the operator's sources is told from the root. */
const at = (path: string) => new URL(path, /^(charts|images|packages)\//.test(path) ? root : source);
const page = readFileSync(new URL('docs/decisions/011-matrixone-fixes.md', root), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('.test.ts`: '))
  .map((line) => {
    const [, what = '', , where = '', proof = ''] = line.split('|').map((cell) => cell.trim());
    const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(proof) ?? [];
    return { what, where, file, name };
  });

test('the page has its rows', () => {
  expect(rows.length).toBeGreaterThan(100);
});

test.each(rows)('$what: the test exists', ({ where, file, name }) => {
  expect(readFileSync(at(file), 'utf8')).toContain(name);
  const [, path] = /^`([^`]+)`$/.exec(where) ?? [];
  if (path !== undefined) expect(existsSync(at(path))).toBe(true);
});
