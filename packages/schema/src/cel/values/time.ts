import { CelError } from './errors.ts';
import { type Duration, durationOf, Timestamp } from './value.ts';

export const minSeconds = -62_135_596_800;
export const maxSeconds = 253_402_300_799;

const nanosPerSecond = 1_000_000_000n;

/** @throws {CelError} outside the years 1 to 9999 */
export function timestampOf(seconds: number, nanos: number, zone = 0): Timestamp {
  if (!(seconds >= minSeconds && seconds <= maxSeconds)) throw new CelError('timestamp overflow');
  return new Timestamp(seconds, nanos, zone);
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[T](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

/** RFC 3339; undefined when it is not. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', fraction = '', zone = ''] = match;
  const seconds = utcSeconds(+year, +month, +day, +hour, +minute, +second);
  const offset = zone === 'Z' ? 0 : zoneSeconds(zone);
  if (seconds === undefined || offset === undefined) return undefined;
  return new Timestamp(seconds - offset, Number(fraction.slice(0, 9).padEnd(9, '0')), offset);
}

function utcSeconds(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | undefined {
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getUTCDate() === day ? date.getTime() / 1000 : undefined;
}

function zoneSeconds(zone: string): number | undefined {
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 24 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

export function formatTimestamp({ seconds, nanos, zone }: Timestamp): string {
  const base = new Date((seconds + zone) * 1000).toISOString().replace(/\.\d+Z$/, '');
  const year = base.replace(/^\+0+(?=\d{4}-)/, '');
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${year}${fraction}${formatZone(zone)}`;
}

function formatZone(zone: number): string {
  if (zone === 0) return 'Z';
  const minutes = Math.abs(zone) / 60;
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${zone < 0 ? '-' : '+'}${pad(Math.trunc(minutes / 60))}:${pad(minutes % 60)}`;
}

export function nanosOf({ seconds, nanos }: Timestamp): bigint {
  return BigInt(seconds) * nanosPerSecond + BigInt(nanos);
}

/** @throws {CelError} outside the years 1 to 9999 */
export function timestampFromNanos(total: bigint, zone: number): Timestamp {
  const rest = ((total % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  return timestampOf(Number((total - rest) / nanosPerSecond), Number(rest), zone);
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: nanosPerSecond,
  m: 60n * nanosPerSecond,
  h: 3600n * nanosPerSecond,
};

const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;

/** A duration as Go writes it: `1h30m`, `-1.5s`, `0`; undefined when it is not. */
export function parseDuration(text: string): Duration | undefined {
  const sign = /^[+-]/.test(text) ? text[0] : '';
  const body = sign === '' ? text : text.slice(1);
  if (body === '0') return durationOf(0n);
  part.lastIndex = 0;
  let total = 0n;
  let end = 0;
  for (let match = part.exec(body); match; match = part.exec(body)) {
    total += scaled(match[1] ?? '', units[match[2] ?? ''] ?? 0n);
    end = part.lastIndex;
  }
  if (end === 0 || end !== body.length) return undefined;
  const nanos = sign === '-' ? -total : total;
  return nanos < -(2n ** 63n) || nanos >= 2n ** 63n ? undefined : durationOf(nanos);
}

function scaled(number: string, unit: bigint): bigint {
  const [whole = '', fraction = ''] = number.split('.');
  const digits = fraction.slice(0, 18);
  return BigInt(whole || '0') * unit + (BigInt(digits || '0') * unit) / 10n ** BigInt(digits.length);
}

/** In seconds, as short as it goes: `5400s`, `1.5s`. */
export function formatDuration({ nanos }: Duration): string {
  const negative = nanos < 0n;
  const size = negative ? -nanos : nanos;
  const fraction = String(size % nanosPerSecond)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${negative ? '-' : ''}${size / nanosPerSecond}${fraction === '' ? '' : `.${fraction}`}s`;
}
