import { describe, expect, it } from 'vitest';
import { checkFunction } from './check-function.ts';
import { checkNumber, milliseconds, someMilliseconds } from './check-number.ts';

describe('checkNumber', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, '5', null, true, {}, 5n])(
    'refuses %s, naming the option',
    (value) => {
      expect(() => checkNumber('it', 'after', value, milliseconds)).toThrow(
        /^it: "after" is .*; give a number of milliseconds from 0$/,
      );
    },
  );

  it('keeps to the bounds', () => {
    checkNumber('it', 'a', undefined, someMilliseconds);
    checkNumber('it', 'a', 0, milliseconds);
    expect(() => checkNumber('it', 'a', 0, someMilliseconds)).toThrow('give a number of milliseconds above 0');
    expect(() => checkNumber('it', 'port', 65_536, { to: 65_535, whole: true })).toThrow(
      'it: "port" is 65536; give a whole number from 0 to 65535',
    );
    expect(() => checkNumber('it', 'port', 1.5, { whole: true })).toThrow('a whole number');
  });
});

describe('checkFunction', () => {
  it('refuses what cannot be called, and what answers later where it must not', () => {
    checkFunction('it', 'where', () => true, true);
    checkFunction('it', 'map', async () => {});
    checkFunction('it', 'where', undefined, true);
    expect(() => checkFunction('it', 'where', 'spec')).toThrow('it: "where" is a string; give a function');
    expect(() => checkFunction('it', 'where', null)).toThrow('it: "where" is null');
    expect(() => checkFunction('it', 'where', async () => true, true)).toThrow('it has to answer at once');
  });
});
