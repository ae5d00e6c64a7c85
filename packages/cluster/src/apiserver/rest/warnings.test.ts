import { expect, test } from 'vitest';
import { addWarning } from './warnings.ts';

test('warnings are said once, and what a header cannot hold not at all', () => {
  const warnings: string[] = [];
  for (const text of ['a', 'b', 'a', '', 'two\nlines']) addWarning(warnings, text);
  expect(warnings).toEqual(['a', 'b']);
});

test('too long together, each is cut, and none follows beyond the limit', () => {
  const warnings: string[] = [];
  for (let i = 0; i < 30; i++) addWarning(warnings, `${i}`.padEnd(300, 'ä'));
  expect(warnings).toHaveLength(16);
  expect(warnings.every((text) => text.length === 256)).toBe(true);
  const short: string[] = [];
  for (let i = 0; i < 13; i++) addWarning(short, `${i}`.padEnd(300, 'x'));
  expect(short.map((text) => text.length)).toEqual(Array(13).fill(300));
});
