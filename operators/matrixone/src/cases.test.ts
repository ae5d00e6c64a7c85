// The upstream operator's own tests, numbered in docs/matrixone/upstream-cases.md: each has a counterpart here that says so in its name, as
// `[case 27, 28]`, and the page tells where.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('./', import.meta.url);
const page = readFileSync(new URL('../../../docs/matrixone/upstream-cases.md', root), 'utf8');
const numbers = Array.from({ length: 67 }, (_, i) => i + 1);

/** Files by the number of the cases that their tests name. */
const files = new Map<number, string[]>(numbers.map((number) => [number, []]));
for (const file of globSync('*/*.test.ts', { cwd: root }).sort()) {
  const text = readFileSync(new URL(file, root), 'utf8');
  const lists = [...text.matchAll(/\[case (\d+(?:, \d+)*)\]/g)].map(([, list = '']) => list);
  const named = new Set(lists.flatMap((list) => list.split(', ').map(Number)));
  for (const number of named) files.get(number)?.push(file);
}

test('every case has a test', () => {
  expect(numbers.filter((number) => files.get(number)?.length === 0)).toEqual([]);
});

test('the page tells where each is', () => {
  const told = [...page.matchAll(/^\| (\d+) \|.*\| ([^|]*) \|$/gm)].map(([, number, where]) => [Number(number), where]);
  const found = numbers.map((number) => [
    number,
    files
      .get(number)
      ?.map((file) => `\`${file}\``)
      .join(', '),
  ]);
  expect(told).toEqual(found);
});
