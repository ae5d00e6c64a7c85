import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './options.ts';

describe('durations', () => {
  it.each([
    ['90s', 90_000],
    ['2m', 120_000],
    ['1h30m', 5_400_000],
    ['100ms', 100],
    ['120', 120_000],
  ])('%s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['soon', '', '-1s', '1d', '1.5s'])('refuses %j', (text) => expect(() => parseDuration(text)).toThrow());

  it.each([
    [100, '100ms'],
    [2000, '2s'],
    [2500, '2.5s'],
    [120_000, '120s'],
  ])('%d is written %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});
