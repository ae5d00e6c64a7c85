import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './time.ts';
import { Duration, Timestamp } from './value.ts';

it.each(['2024-02-29T23:59:59Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z', '1969-12-31T23:59:59.5Z'])(
  'the moment %s reads and prints the same',
  (text) => {
    const parsed = parseTimestamp(text);
    expect(parsed && formatTimestamp(parsed)).toBe(text);
  },
);

it.each(['2023-02-29T00:00:00Z', '2024-01-01', '2024-01-01T24:00:00Z', '2024-01-01T00:00:00', 'x'])(
  '%s is no moment',
  (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  },
);

it('zones are counted', () => {
  expect(parseTimestamp('2024-01-01T02:00:00+02:00')?.seconds).toBe(parseTimestamp('2024-01-01T00:00:00Z')?.seconds);
});

it.each([
  ['1h30m', '5400s'],
  ['1.5s', '1.5s'],
  ['-1ms', '-0.001s'],
  ['0', '0s'],
  ['+1us', '0.000001s'],
])('the span %s is %s', (text, printed) => {
  const parsed = parseDuration(text);
  expect(parsed && formatDuration(parsed)).toBe(printed);
});

it.each(['', '1', '1x', 'h', '1h ', '300000000h'])('%s is no span', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

it('every span and moment reads what it prints', () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (nanos) => {
      expect(parseDuration(formatDuration(new Duration(nanos)))?.nanos).toBe(nanos);
    }),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }),
      fc.integer({ min: 0, max: 999_999_999 }),
      (s, n) => {
        expect(parseTimestamp(formatTimestamp(new Timestamp(s, n)))).toEqual(new Timestamp(s, n));
      },
    ),
  );
});
