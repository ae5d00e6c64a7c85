import { expect, test } from 'vitest';
import { goDiff } from './go-diff.ts';

test('equal values do not differ', () => {
  expect(goDiff({ A: 1, B: ['x'] }, { A: 1, B: ['x'] })).toBe('');
});

test('what differs is shown with three lines around it', () => {
  const value = (middle: string) => ({ A: 1, B: 2, C: 3, D: 4, E: middle, F: 6, G: 7, H: 8, I: 9 });
  expect(goDiff(value('old'), value('new')).split('\n')).toEqual([
    '@@ -3,7 +3,7 @@',
    '  "B": 2,',
    '  "C": 3,',
    '  "D": 4,',
    '- "E": "old",',
    '+ "E": "new",',
    '  "F": 6,',
    '  "G": 7,',
    '  "H": 8,',
    '',
  ]);
});
