/** What a number has to be, besides finite. */
export interface NumberBounds {
  /** The least it may be; default 0. */
  readonly from?: number;
  /** It has to be more than this. */
  readonly above?: number;
  /** The most it may be. */
  readonly to?: number;
  /** No fractions. Default false. */
  readonly whole?: boolean;
  /** In the error: `milliseconds`. */
  readonly unit?: string;
}

/** Bounds of a time that has to pass. */
export const someMilliseconds: NumberBounds = { above: 0, unit: 'milliseconds' };
/** Bounds of a time that may be none. */
export const milliseconds: NumberBounds = { from: 0, unit: 'milliseconds' };

/**
 * Refuses a number that makes no sense: none at all, NaN, infinite, or out of bounds.
 * @param what whose option it is, as people call it: `createManager`
 * @param value what was given; absent is fine
 * @throws RangeError naming the option, what it is and what it may be
 */
export function checkNumber(what: string, option: string, value: unknown, bounds: NumberBounds): void {
  if (value === undefined) return;
  const { from = 0, above, to, whole = false, unit } = bounds;
  const fits =
    typeof value === 'number' &&
    Number.isFinite(value) &&
    (above === undefined ? value >= from : value > above) &&
    (to === undefined || value <= to) &&
    (!whole || Number.isInteger(value));
  if (fits) return;
  const given = typeof value === 'string' ? JSON.stringify(value) : String(value);
  const least = above === undefined ? `from ${from}` : `above ${above}`;
  const kind = whole ? 'a whole number' : 'a number';
  const range = to === undefined ? least : `${least} to ${to}`;
  throw new RangeError(`${what}: "${option}" is ${given}; give ${kind}${unit ? ` of ${unit}` : ''} ${range}`);
}

/** A TCP port, 0 for any free one; see {@link checkNumber}. */
export function checkPort(what: string, port: unknown): void {
  checkNumber(what, 'port', port, { from: 0, to: 65_535, whole: true });
}
