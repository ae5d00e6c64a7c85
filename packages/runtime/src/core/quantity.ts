/** How a quantity is written: `Ki Mi Gi` …, `k M G` …, or `e3 e6` …. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/**
 * An amount of a resource, exact to the billionth, with the family of suffixes it was written in.
 * Same rules as Kubernetes' `resource.Quantity` (k8s.io/apimachinery/pkg/api/resource), with its oddities: clients compare texts.
 */
export interface Quantity {
  /** The amount in billionths. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
  /** How an amount that was read is printed. Absent: it was computed, and its text follows from the rest. */
  readonly text?: string;
}

const billion = 1_000_000_000n;
const largest = (2n ** 63n - 1n) * billion;
// Exponents end at 999: Go takes more, but the amounts would fill the memory as soon as they are compared.
const syntax = /^([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE]i)|([numkMGTPE]|)|[eE]([+-]?0*\d{1,3}))$/;
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
 * binary amounts beyond 2^63-1 are cut to it, decimal ones are not. White space around a text does not count.
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
  const trimmed = source.trim();
  const match = trimmed === '' ? undefined : syntax.exec(trimmed);
  if (!match) throw notQuantity(source);
  const [, sign, whole = '', fraction = '', binary, suffix = '', exponent] = match;
  const digits = `${whole}${fraction}`;
  const scale = (exponent === undefined ? (decimalExponents[suffix] ?? 0) : Number(exponent)) - fraction.length;
  // Go takes a text without digits for zero, as long as its fast path reads it.
  if (digits === '' && (scale < -9 || binary === 'Pi' || binary === 'Ei')) throw notQuantity(source);
  const power = binary ? binarySuffixes.indexOf(binary) : 0;
  const magnitude = nanosOf(BigInt(digits || '0') * 1024n ** BigInt(power), scale);
  const nano = binary && magnitude > largest ? largest : magnitude;
  // Where a binary text means less than one, the amount counts as decimal, also in sums.
  const isBinary = binary !== undefined && (nano === 0n || nano >= billion);
  const format = exponent !== undefined ? 'DecimalExponent' : isBinary ? 'BinarySI' : 'DecimalSI';
  const amount: Quantity = { nano: sign === '-' ? -nano : nano, format };
  const number = whole.replace(/^0+/, '') || '0';
  const isKept = binary ? isKeptBinary(number, fraction, power) : isKeptDecimal(`${number}${fraction}`, scale);
  return Object.freeze({ ...amount, text: isKept ? trimmed : printed(amount) });
}

function notQuantity(source: string): Error {
  return new Error(`"${source}" is not a quantity: expected a number and a suffix, such as "500m", "2Gi" or "1.5G"`);
}

/** `value` times 10^`scale` in billionths, rounded up. */
function nanosOf(value: bigint, scale: number): bigint {
  return scale >= -9 ? value * 10n ** BigInt(scale + 9) : ceilDiv(value, 10n ** BigInt(-scale - 9));
}

/**
 * Whether Go takes a decimal text for canonical and keeps it as it was written. It looks at the digits, those after the point included, but
 * not at how they are spelled: `5E3`, `1.500`, `+5` and `007` are kept.
 */
function isKeptDecimal(digits: string, scale: number): boolean {
  return scale >= -9 && scale % 3 === 0 && digits.length <= 18 && !digits.startsWith('0') && !digits.endsWith('000');
}

/** The same for a binary text: Go asks for a short number that is no multiple of 8. @param power of 1024 */
function isKeptBinary(number: string, fraction: string, power: number): boolean {
  return fraction === '' && number.length + 3 * power <= 14 && Number(number) % 8 !== 0;
}

/** A whole amount. @param format default `DecimalSI` */
export function quantityOf(value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { nano: BigInt(value) * billion, format };
}

/**
 * The text as the server prints it. What was read and is canonical to Go is kept as it was written; else no fraction,
 * no precision lost, the largest suffix that fits, the family kept. Binary amounts with a fraction are printed as decimal ones:
 * `1.1Gi` is `1181116006400m`.
 */
export function formatQuantity(quantity: Quantity): string {
  return quantity.text ?? printed(quantity);
}

function printed({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  const small = nano > -1024n * billion && nano < 1024n * billion;
  if (format === 'BinarySI' && !small && nano % billion === 0n) return binaryText(nano / billion);
  return decimalText(nano, format === 'DecimalExponent');
}

/** Re-prints a quantity as the server stores it: `1.5Gi` → `1536Mi`, and `1.500` as it is. @throws Error when `text` is not a quantity */
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

function binaryText(units: bigint): string {
  let value = units;
  let power = 0;
  while (value % 1024n === 0n) {
    value /= 1024n;
    power++;
  }
  // Beyond the last suffix Go prints none, here and below: sums of 1024 `Ei`, or `1000E`, which comes out as `1`.
  return `${value}${binarySuffixes[power] ?? ''}`;
}

function decimalText(nano: bigint, scientific: boolean): string {
  const digits = nano.toString();
  let end = digits.length;
  while (digits.endsWith('000', end)) end -= 3;
  const exponent = digits.length - end - 9;
  const number = digits.slice(0, end);
  if (scientific) return exponent === 0 ? number : `${number}e${exponent}`;
  return `${number}${decimalSuffixes.get(exponent) ?? ''}`;
}
