import { parseDuration } from '@coxswain/runtime/core';
import type { WallTime, Zone } from './zone.ts';

/** When something happens again and again. */
export interface Schedule {
  /** The first time after `time`, in milliseconds since the epoch; `undefined` when there is none in the next five years. */
  next(time: number): number | undefined;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Minute, hour, day of the month, month, day of the week. */
const bounds = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
] as const satisfies readonly Bounds[];

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const minuteLength = 60_000;
const horizon = 5 * 366 * 24 * 60 * minuteLength;

interface Field {
  readonly values: ReadonlySet<number>;
  /** It holds for every value: the other day field alone decides. */
  readonly star: boolean;
}

function numberOf(text: string, { names, min, max }: Bounds): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  const value = named >= 0 ? named + min : Number(text);
  if (text === '' || !Number.isInteger(value) || value < min || value > max)
    throw new Error(`${JSON.stringify(text)} is not from ${min} to ${max}`);
  return value;
}

function fieldOf(text: string, limits: Bounds): Field {
  const values = new Set<number>();
  let star = false;
  for (const part of text.split(',').filter((one) => one !== '')) {
    const [range = '', step] = part.split('/');
    const every = step === undefined ? 1 : Number(step);
    if (!Number.isInteger(every) || every < 1) throw new Error(`${JSON.stringify(part)} has no step`);
    const all = range === '*' || range === '?';
    const [low = '', high] = range.split('-');
    const first = all ? limits.min : numberOf(low, limits);
    const last = all || (high === undefined && step !== undefined) ? limits.max : numberOf(high ?? low, limits);
    if (all && every === 1) star = true;
    for (let value = first; value <= last; value += every) values.add(value);
  }
  return { values, star };
}

/** Five fields, looked up on the wall of a zone: an hour that a change of the clock leaves out does not come, one that it repeats comes twice. */
class FieldSchedule implements Schedule {
  readonly #zone: Zone;
  readonly #fields: readonly [Field, Field, Field, Field, Field];

  constructor(text: string, zone: Zone) {
    const [minute, hour, day, month, weekday, ...more] = text.trim().split(/\s+/);
    if (weekday === undefined || more.length > 0) throw new Error(`expected exactly 5 fields: ${text}`);
    this.#zone = zone;
    this.#fields = [
      fieldOf(minute ?? '', bounds[0]),
      fieldOf(hour ?? '', bounds[1]),
      fieldOf(day ?? '', bounds[2]),
      fieldOf(month ?? '', bounds[3]),
      fieldOf(weekday, bounds[4]),
    ];
  }

  next(time: number): number | undefined {
    const [minutes, hours] = this.#fields;
    const end = time + horizon;
    for (let at = (Math.floor(time / minuteLength) + 1) * minuteLength; at <= end; ) {
      const wall = this.#zone(at);
      const inHour = this.#isDay(wall) && hours.values.has(wall.hour);
      if (inHour && minutes.values.has(wall.minute)) return at;
      // An hour has the same minutes throughout, wherever it is: what does not match is left as a whole.
      at += inHour ? minuteLength : (60 - wall.minute) * minuteLength;
    }
    return undefined;
  }

  #isDay({ day, month, weekday }: WallTime): boolean {
    const [, , days, months, weekdays] = this.#fields;
    if (!months.values.has(month)) return false;
    const [ofMonth, ofWeek] = [days.values.has(day), weekdays.values.has(weekday)];
    return days.star || weekdays.star ? ofMonth && ofWeek : ofMonth || ofWeek;
  }
}

/** Reads a schedule as `spec.schedule` has it. @throws Error that says what is wrong */
export function parseSchedule(text: string, zone: Zone): Schedule {
  if (!text.startsWith('@every ')) return new FieldSchedule(macros[text] ?? text, zone);
  const every = Math.max(1_000, Math.floor(parseDuration(text.slice('@every '.length)) / 1000) * 1000);
  return { next: (time) => Math.floor(time / 1000) * 1000 + every };
}
