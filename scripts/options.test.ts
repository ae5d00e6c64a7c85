import { expect, test } from 'vitest';
import { optionsOf } from './options.ts';

const read = (...args: string[]) => optionsOf(args, { runs: 10, seed: 1 }, ['kinds']);

test('numbers have defaults, texts may be absent', () => {
  expect(read()).toEqual({ runs: 10, seed: 1 });
  expect(read('--runs', '3', '--seed=-7', '--kinds', 'A,B')).toEqual({ runs: 3, seed: -7, kinds: 'A,B' });
});

test.each([['--runs', '0'], ['--runs', '1.5'], ['--runs', 'x'], ['--seed', '1e99'], ['--run', '1'], ['more']])(
  'what cannot be read is refused: %s %s',
  (...args) => {
    expect(read(...args)).toBeUndefined();
  },
);
