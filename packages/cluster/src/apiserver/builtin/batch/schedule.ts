interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Minute, hour, day of the month, month, day of the week. */
const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];

const macros = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

function numberOf(text: string, { names, min }: Bounds): number | string {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  if (index >= 0) return index + min;
  if (!/^[+-]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
}

/** First and last value of a range, or its fault. */
function limitsOf(text: string, expression: string, bounds: Bounds): readonly [number, number] | string {
  const parts = text.split('-');
  const [low = ''] = parts;
  if (low === '*' || low === '?') return [bounds.min, bounds.max];
  const start = numberOf(low, bounds);
  if (typeof start === 'string') return start;
  if (parts.length > 2) return `too many hyphens: ${expression}`;
  const end = parts[1] === undefined ? start : numberOf(parts[1], bounds);
  return typeof end === 'string' ? end : [start, end];
}

function rangeFault(expression: string, bounds: Bounds): string | undefined {
  const [range = '', step, ...more] = expression.split('/');
  const limits = limitsOf(range, expression, bounds);
  if (typeof limits === 'string') return limits;
  if (more.length > 0) return `too many slashes: ${expression}`;
  const every = step === undefined ? 1 : numberOf(step, { min: 0, max: 0 });
  if (typeof every === 'string') return every;
  const start = limits[0];
  const end = step !== undefined && !range.includes('-') ? bounds.max : limits[1];
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${expression}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${expression}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  return every === 0 ? `step of range should be a positive number: ${expression}` : undefined;
}

const duration = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

function descriptorFault(text: string): string | undefined {
  if (macros.includes(text)) return undefined;
  if (!text.startsWith('@every ')) return `unrecognized descriptor: ${text}`;
  const length = text.slice('@every '.length);
  if (duration.test(length)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(length)}`;
}

/** What is wrong with the schedule of a CronJob; `undefined` when it can be read. */
export function scheduleFault(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorFault(schedule);
  const words = schedule.trim().split(/\s+/);
  if (words.length !== fields.length) return `expected exactly 5 fields, found ${words.length}: [${words.join(' ')}]`;
  for (const [i, bounds] of fields.entries()) {
    for (const expression of (words[i] ?? '').split(',').filter((part) => part !== '')) {
      const fault = rangeFault(expression, bounds);
      if (fault) return fault;
    }
  }
  return undefined;
}
