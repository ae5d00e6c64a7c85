import { expect, test } from 'vitest';
import { Figures } from './result.ts';
import { markdown } from './table.ts';

const figure = { scenario: 'B4', what: '10 objects created', measure: 'all Ready', unit: 's' } as const;

test('runs become a median with its range, candidates columns', () => {
  const figures = new Figures();
  for (const value of [3, 1, 2]) figures.add({ ...figure, candidate: 'one' }, value);
  figures.add({ ...figure, candidate: 'two' }, 120);
  expect(markdown(figures.all)).toBe(
    [
      '### B4: 10 objects created',
      '',
      '|  | one | two |',
      '| --- | --- | --- |',
      '| all Ready | 2.00 s (1.00–3.00) | 120 s |',
      '',
    ].join('\n'),
  );
});

test('a candidate that failed has an empty column and a line that says why', () => {
  const figures = new Figures();
  figures.add({ ...figure, candidate: 'one' }, 2);
  figures.missing({ ...figure, candidate: 'two' }, 'took over 120 s');
  expect(markdown(figures.all).split('\n').slice(2)).toEqual([
    '|  | one | two |',
    '| --- | --- | --- |',
    '| all Ready | 2.00 s | – |',
    '',
    'two: took over 120 s',
    '',
  ]);
  expect(figures.hasFailed('B4', 'two')).toBe(true);
  expect(figures.hasFailed('B4', 'one')).toBe(false);
  expect(figures.hasFailed('B5', 'two')).toBe(false);
});
