/** How a quantity is written: `Ki Mi Gi` …, `k M G` …, or `e3 e6` …. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/**
 * An amount of a resource, exact to the billionth, with the family of suffixes it was written in.
 * Same rules as Kubernetes' `resource.Quantity`.
 */
export interface Quantity {
  /** The amount in billionths. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

const billion = 1_000_000_000n;
const largest = (2n ** 63n - 1n) * billion;
const syntax = /^([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE]i)|([numkMGTPE]|)|[eE]([+-]?\d{1,3}))$/;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const decimalExponents: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const decimalSuffixes = new Map(Object.entries(decimalExponents).map(([suffix, exponent]) => [exponent, suffix]));

/** Quantities read before: a cluster has few different ones, and reads them in every write of a pod. */
const known = new Map<string, Quantity>();
const knownLimit = 1024;
const knownLength = 32;

/**
 * Reads `1500m`, `7Gi`, `1.5Gi`, `2e9` …, or a JSON number. More digits than billionths are rounded up (away from zero);
 * amounts beyond 2^63-1 are cut to it, as the server does.
 * @throws Error when `text` is not a quantity
 */
export function parseQuantity(text: string | number): Quantity {
  // A number is printed without an exponent where it has one, so that its family is decimal as for any number.
  const source = typeof text === 'number' && Number.isSafeInteger(text) ? BigInt(text).toString() : String(text);
  const read = known.get(source);
  if (read) return read;
  const quantity = readQuantity(source);
  if (known.size >= knownLimit) known.clear();
  if (source.length <= knownLength) known.set(source, quantity);
  return quantity;
}

function readQuantity(source: string): Quantity {
  const match = syntax.exec(source);
  if (!match || ((match[2] ?? '') === '' && (match[3] ?? '') === '')) {
    throw new Error(`"${source}" is not a quantity: expected a number and a suffix, such as "500m", "2Gi" or "1.5G"`);
  }
  const [, sign, whole = '', fraction = '', binary, suffix, exponent] = match;
  const digits = BigInt(`${whole}${fraction}` || '0');
  const format: QuantityFormat = binary ? 'BinarySI' : exponent === undefined ? 'DecimalSI' : 'DecimalExponent';
  const factor = binary ? 1024n ** BigInt(binarySuffixes.indexOf(binary)) : 1n;
  const power =
    9 - fraction.length + (exponent === undefined ? (decimalExponents[suffix ?? ''] ?? 0) : Number(exponent));
  const scaled = digits * factor;
  const magnitude = power >= 0 ? scaled * 10n ** BigInt(power) : ceilDiv(scaled, 10n ** BigInt(-power));
  const nano = magnitude > largest ? largest : magnitude;
  return Object.freeze({ nano: sign === '-' ? -nano : nano, format });
}

/** A whole amount. @param format default `DecimalSI` */
export function quantityOf(value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { nano: BigInt(value) * billion, format };
}

/** The canonical text: no fraction, no precision lost, the largest suffix that fits, the family kept. */
export function formatQuantity(quantity: Quantity): string {
  const { nano } = quantity;
  if (nano === 0n) return '0';
  const small = nano > -1024n * billion && nano < 1024n * billion;
  if (quantity.format === 'BinarySI' && !small) return formatBinary(nano);
  return formatDecimal(nano, quantity.format === 'DecimalExponent');
}

/** Re-prints a quantity as the server stores it: `1.5Gi` → `1536Mi`. @throws Error when `text` is not a quantity */
export function canonicalQuantity(text: string | number): string {
  return formatQuantity(parseQuantity(text));
}

/** Negative, 0 or positive, as `a` is less than, equal to or more than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

/** Whether two values are the same amount, however written. False when one of them is no quantity. */
export function sameQuantity(a: unknown, b: unknown): boolean {
  const readable = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
  if (!readable(a) || !readable(b)) return false;
  try {
    return compareQuantities(parseQuantity(a), parseQuantity(b)) === 0;
  } catch {
    return false;
  }
}

/** `a + b` in the family of `a` (of `b` when `a` is zero). */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

/** `a - b` in the family of `a` (of `b` when `a` is zero). */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano - b.nano, format: a.nano === 0n ? b.format : a.format };
}

/** The amount in whole units, rounded up (away from zero). */
export function quantityValue(quantity: Quantity): bigint {
  return wholeUnits(quantity.nano, billion);
}

/** The amount in thousandths, rounded up (away from zero). */
export function quantityMilliValue(quantity: Quantity): bigint {
  return wholeUnits(quantity.nano, 1_000_000n);
}

/** `quantity * numerator / denominator` in whole units, cut towards zero, in the same family. */
export function scaleQuantity(quantity: Quantity, numerator: number, denominator: number): Quantity {
  return quantityOf((quantityValue(quantity) * BigInt(numerator)) / BigInt(denominator), quantity.format);
}

function ceilDiv(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

function wholeUnits(nano: bigint, unit: bigint): bigint {
  return nano < 0n ? -ceilDiv(-nano, unit) : ceilDiv(nano, unit);
}

function formatBinary(nano: bigint): string {
  let value = wholeUnits(nano, billion);
  let power = 0;
  while (power < binarySuffixes.length - 1 && value % 1024n === 0n) {
    value /= 1024n;
    power++;
  }
  return `${value}${binarySuffixes[power]}`;
}

function formatDecimal(nano: bigint, scientific: boolean): string {
  let value = nano;
  let exponent = -9;
  while (exponent < 18 && value % 1000n === 0n) {
    value /= 1000n;
    exponent += 3;
  }
  if (scientific) return exponent === 0 ? String(value) : `${value}e${exponent}`;
  return `${value}${decimalSuffixes.get(exponent) ?? ''}`;
}
