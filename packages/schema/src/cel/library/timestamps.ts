import { type Overload, overload } from '../types/overload.ts';
import { CelError } from '../values/errors.ts';
import type { Timestamp, Value } from '../values/value.ts';
import { duration, text, timestamp } from './arguments.ts';

/** Wall-clock fields of a moment in some zone. */
interface Fields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millis: number;
}

function fieldsAt({ seconds, nanos }: Timestamp, shift: number): Fields {
  const date = new Date((seconds + shift) * 1000);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millis: Math.floor(nanos / 1_000_000),
  };
}

/** Seconds east of UTC, at a moment. */
function zoneShift(moment: Timestamp, zone: string): number {
  if (zone === '' || zone === 'UTC') return 0;
  const colon = zone.indexOf(':');
  if (colon < 0) return namedZoneShift(moment, zone);
  const hours = wholeNumber(zone.slice(0, colon)) * 60;
  const minutes = wholeNumber(zone.slice(colon + 1));
  return (zone.startsWith('-') ? hours - minutes : hours + minutes) * 60;
}

function wholeNumber(digits: string): number {
  if (/^[+-]?\d+$/.test(digits)) return Number(digits);
  throw new CelError(`strconv.Atoi: parsing ${JSON.stringify(digits)}: invalid syntax`);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function namedZoneShift({ seconds }: Timestamp, zone: string): number {
  let format = formats.get(zone);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        era: 'short',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      throw new CelError(`unknown time zone ${zone}`);
    }
    if (formats.size < 1_000) formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
  const local = new Date(0);
  const year = parts.era?.startsWith('B') ? 1 - Number(parts.year) : Number(parts.year);
  local.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
  local.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
  return local.getTime() / 1000 - seconds;
}

function dayOfYear({ year, month, day }: Fields): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  const start = new Date(0);
  start.setUTCFullYear(year, 0, 1);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
}

function getter(name: string, id: string, read: (fields: Fields) => number): Overload[] {
  const at = (moment: Value, zone: Value) => {
    const time = timestamp(moment);
    return read(fieldsAt(time, zoneShift(time, text(zone))));
  };
  return [
    overload(`timestamp_to_${id}`, `timestamp::${name}() -> int`, (moment) => read(fieldsAt(timestamp(moment), 0))),
    overload(`timestamp_to_${id}_with_tz`, `timestamp::${name}(string) -> int`, at),
  ];
}

function span(name: string, id: string, nanos: bigint): Overload {
  return overload(id, `duration::${name}() -> int`, (value) => Number(duration(value).nanos / nanos));
}

export const timeOverloads: readonly Overload[] = [
  ...getter('getFullYear', 'year', ({ year }) => year),
  ...getter('getMonth', 'month', ({ month }) => month),
  ...getter('getDayOfYear', 'day_of_year', dayOfYear),
  ...getter('getDayOfMonth', 'day_of_month', ({ day }) => day - 1),
  ...getter('getDate', 'day_of_month_1_based', ({ day }) => day),
  ...getter('getDayOfWeek', 'day_of_week', ({ weekday }) => weekday),
  ...getter('getHours', 'hours', ({ hour }) => hour),
  ...getter('getMinutes', 'minutes', ({ minute }) => minute),
  ...getter('getSeconds', 'seconds', ({ second }) => second),
  ...getter('getMilliseconds', 'milliseconds', ({ millis }) => millis),
  span('getHours', 'duration_to_hours', 3_600_000_000_000n),
  span('getMinutes', 'duration_to_minutes', 60_000_000_000n),
  span('getSeconds', 'duration_to_seconds', 1_000_000_000n),
  span('getMilliseconds', 'duration_to_milliseconds', 1_000_000n),
];
