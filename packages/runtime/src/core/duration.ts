const unitsInMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/**
 * Milliseconds of a duration as Go writes it: `5m`, `1h30m`, `1.5s`, `-10ms`, `0`.
 * @throws Error when `text` is not such a duration
 */
export function parseDuration(text: string): number {
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  let total = 0;
  part.lastIndex = 0;
  let end = 0;
  for (let match = part.exec(unsigned); match; match = part.exec(unsigned)) {
    total += Number(match[1]) * (unitsInMs[match[2] ?? ''] ?? 0);
    end = part.lastIndex;
  }
  if (end === 0 || end !== unsigned.length) {
    throw new Error(`"${text}" is not a duration: expected numbers with units, such as "5m" or "1h30m"`);
  }
  return text.startsWith('-') ? -total : total;
}

/** The canonical text Go gives a duration: `1h30m0s`, `5m0s`, `1.5s`, `300ms`, `0s`. @param ms milliseconds */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  const nanos = Math.round(Math.abs(ms) * 1e6);
  if (nanos < 1_000) return `${sign}${nanos}ns`;
  if (nanos < 1_000_000) return `${sign}${decimal(nanos, 1_000, 3)}µs`;
  if (nanos < 1_000_000_000) return `${sign}${decimal(nanos, 1_000_000, 6)}ms`;
  const minutes = Math.floor(nanos / 60e9);
  const seconds = `${decimal(nanos - minutes * 60e9, 1e9, 9)}s`;
  if (minutes === 0) return sign + seconds;
  const hours = Math.floor(minutes / 60);
  return `${sign}${hours > 0 ? `${hours}h` : ''}${minutes % 60}m${seconds}`;
}

/** `value / unit` in plain decimals, without trailing zeros. */
function decimal(value: number, unit: number, digits: number): string {
  const whole = Math.floor(value / unit);
  const fraction = String(value - whole * unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(whole) : `${whole}.${fraction}`;
}
