/** What a clock on the wall shows. */
export interface WallTime {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  /** From 1. */
  readonly month: number;
  /** Sunday is 0. */
  readonly weekday: number;
}

/** Reads the clock on the wall of a time zone. */
export type Zone = (time: number) => WallTime;

const minuteLength = 60_000;

function wallOf(date: Date): WallTime {
  return {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
}

/** @param name as in the time zone database; default UTC. @throws RangeError when there is no such zone */
export function zoneOf(name: string | undefined): Zone {
  if (name === undefined || name === 'UTC' || name === 'Etc/UTC') return (time) => wallOf(new Date(time));
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (time) => {
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(time)) parts[type] = Number(value);
    const { year = 1970, month = 1, day = 1, hour = 0, minute = 0 } = parts;
    return wallOf(new Date(Date.UTC(year, month - 1, day, hour, minute)));
  };
}

/** RFC 3339 in the zone: `2026-11-28T09:00:00+01:00`. @param time milliseconds since the epoch, whole seconds */
export function zonedTime(time: number, zone: Zone): string {
  const { month, day, hour, minute } = zone(time);
  const utc = new Date(time);
  // The wall's year is that of the moment, a day before, or a day after.
  const years = [utc.getUTCFullYear() - 1, utc.getUTCFullYear(), utc.getUTCFullYear() + 1];
  const seconds = Math.floor((time % minuteLength) / 1000);
  const offsets = years.map(
    (year) => Date.UTC(year, month - 1, day, hour, minute, seconds) - Math.floor(time / 1000) * 1000,
  );
  const offset = offsets.reduce((best, one) => (Math.abs(one) < Math.abs(best) ? one : best));
  const wall = new Date(time + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${wall}Z`;
  const minutes = Math.abs(offset) / minuteLength;
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  return `${wall}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
