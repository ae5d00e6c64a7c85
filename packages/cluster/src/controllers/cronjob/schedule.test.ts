import { describe, expect, test } from 'vitest';
import { parseSchedule } from './schedule.ts';
import { zonedTime, zoneOf } from './zone.ts';

function times(text: string, from: string, count: number, zone?: string): string[] {
  const where = zoneOf(zone);
  const schedule = parseSchedule(text, where);
  const found: string[] = [];
  for (let time: number | undefined = Date.parse(from); found.length < count; ) {
    time = schedule.next(time);
    if (time === undefined) break;
    found.push(zonedTime(time, where));
  }
  return found;
}

test.each([
  ['*/15 * * * *', ['2026-11-28T10:15:00Z', '2026-11-28T10:30:00Z']],
  ['7 * * * *', ['2026-11-28T10:07:00Z', '2026-11-28T11:07:00Z']],
  ['0 9-17/4 * * mon-fri', ['2026-11-30T09:00:00Z', '2026-11-30T13:00:00Z']],
  ['30 6 1 jan,jul *', ['2027-01-01T06:30:00Z', '2027-07-01T06:30:00Z']],
  // with both day fields one of them is enough
  ['0 0 13 * fri', ['2026-12-04T00:00:00Z', '2026-12-11T00:00:00Z']],
  ['0 0 29 2 ?', ['2028-02-29T00:00:00Z']],
  ['5/20 0 * * *', ['2026-11-29T00:05:00Z', '2026-11-29T00:25:00Z']],
  ['@hourly', ['2026-11-28T11:00:00Z', '2026-11-28T12:00:00Z']],
  ['@weekly', ['2026-11-29T00:00:00Z', '2026-12-06T00:00:00Z']],
  ['@every 90s', ['2026-11-28T10:01:30Z', '2026-11-28T10:03:00Z']],
])('%s', (text, expected) => {
  expect(times(text, '2026-11-28T10:00:00Z', expected.length)).toEqual(expected);
});

test('a day that never comes has no next time', () => {
  expect(times('0 0 31 2 *', '2026-01-01T00:00:00Z', 1)).toEqual([]);
});

describe('where clocks are changed', () => {
  test('a time that is left out does not come that day', () => {
    expect(times('30 2 * * *', '2026-03-28T12:00:00Z', 2, 'Europe/Berlin')).toEqual([
      '2026-03-30T02:30:00+02:00',
      '2026-03-31T02:30:00+02:00',
    ]);
  });

  test('a time that is repeated comes twice', () => {
    expect(times('30 2 * * *', '2026-10-24T12:00:00Z', 3, 'Europe/Berlin')).toEqual([
      '2026-10-25T02:30:00+02:00',
      '2026-10-25T02:30:00+01:00',
      '2026-10-26T02:30:00+01:00',
    ]);
  });

  test('zones with parts of an hour', () => {
    expect(times('0 6 * * *', '2026-11-28T10:00:00Z', 1, 'Asia/Kathmandu')).toEqual(['2026-11-29T06:00:00+05:45']);
  });
});

test.each(['* * * *', '61 * * * *', '* * * * funday', '*/0 * * * *'])('%s cannot be read', (text) => {
  expect(() => parseSchedule(text, zoneOf(undefined))).toThrow();
});
