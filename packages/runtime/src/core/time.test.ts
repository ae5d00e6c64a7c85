import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';
import { formatMicroTime, formatTime, parseTime } from './time.ts';

test('times to the second, cut', () => {
  expect(formatTime(Date.UTC(2026, 0, 2, 3, 4, 5, 999))).toBe('2026-01-02T03:04:05Z');
});

test('micro times have six digits', () => {
  expect(formatMicroTime(Date.UTC(2026, 0, 2, 3, 4, 5))).toBe('2026-01-02T03:04:05.000000Z');
  expect(formatMicroTime(Date.UTC(2026, 0, 2, 3, 4, 5, 7))).toBe('2026-01-02T03:04:05.007000Z');
  expect(formatMicroTime(parseTime('2026-01-02T03:04:05.678901Z'))).toBe('2026-01-02T03:04:05.678901Z');
  expect(formatMicroTime(parseTime('2026-01-02T03:04:05.9999999Z'))).toBe('2026-01-02T03:04:06.000000Z');
});

test('times of any zone and precision are read', () => {
  const second = Date.UTC(2026, 0, 2, 3, 4, 5);
  expect(parseTime('2026-01-02T03:04:05Z')).toBe(second);
  expect(parseTime('2026-01-02T05:04:05+02:00')).toBe(second);
  expect(parseTime('2026-01-02t03:04:05.25z')).toBe(second + 250);
  for (const bad of ['', '2026-01-02', '2026-13-02T03:04:05Z', '2026-01-02T03:04:05', 'now']) {
    expect(() => parseTime(bad), bad).toThrow('is not a time');
  }
});

test.each([
  ['5m', 300_000, '5m0s'],
  ['1h30m', 5_400_000, '1h30m0s'],
  ['1.5h', 5_400_000, '1h30m0s'],
  ['300ms', 300, '300ms'],
  ['1.5s', 1500, '1.5s'],
  ['2us', 0.002, '2µs'],
  ['-1m', -60_000, '-1m0s'],
  ['0', 0, '0s'],
  ['24h', 86_400_000, '24h0m0s'],
])('%s is %d ms and prints as %s', (text, ms, printed) => {
  expect(parseDuration(text)).toBeCloseTo(ms, 9);
  expect(formatDuration(ms)).toBe(printed);
});

test.each(['', '5', 'm', '1d', '1h 30m', '1h-5m', 'five', '1.2.3s'])('"%s" is not a duration', (text) => {
  expect(() => parseDuration(text)).toThrow('is not a duration');
});
