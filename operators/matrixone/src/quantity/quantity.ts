/** Which suffixes a quantity is printed with: `Ki`, `k` or `e3`. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/** A Kubernetes quantity, exact to the billionth. */
export interface Quantity {
  /** The amount in billionths. */
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

const NANO = 1_000_000_000n;
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Suffixes for powers of ten, by exponent. */
const decimalSuffixes: ReadonlyMap<number, string> = new Map([
  [-9, 'n'],
  [-6, 'u'],
  [-3, 'm'],
  [0, ''],
  [3, 'k'],
  [6, 'M'],
  [9, 'G'],
  [12, 'T'],
  [15, 'P'],
  [18, 'E'],
]);

function roundUp(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  if (rest === 0n) return quotient;
  return numerator > 0n ? quotient + 1n : quotient - 1n;
}

function scaleOf(suffix: string): { base: bigint; exponent: number; format: QuantityFormat } | undefined {
  const binary = binarySuffixes.indexOf(suffix);
  if (binary > 0) return { base: 1024n, exponent: binary, format: 'BinarySI' };
  for (const [exponent, text] of decimalSuffixes) {
    if (text === suffix) return { base: 10n, exponent, format: 'DecimalSI' };
  }
  if (/^[eE][+-]?\d{1,3}$/.test(suffix)) return { base: 10n, exponent: Number(suffix.slice(1)), format: 'DecimalExponent' };
  return undefined;
}

/**
 * Reads a quantity such as `1.5Gi`, `500m`, `1e3` or `20`. Anything finer than a billionth is rounded up.
 * @throws RangeError when it is not a quantity
 */
export function parseQuantity(text: string | number): Quantity {
  const match = /^([+-]?)(\d+\.?\d*|\.\d+)(.*)$/.exec(String(text));
  const scale = scaleOf(match?.[3] ?? '?');
  if (!match || !scale) throw new RangeError(`"${text}" is not a quantity, such as 10Gi or 500m`);
  const [whole = '', fraction = ''] = (match[2] ?? '').split('.');
  let numerator = BigInt(whole + fraction) * NANO;
  if (match[1] === '-') numerator = -numerator;
  let denominator = 10n ** BigInt(fraction.length);
  if (scale.exponent >= 0) numerator *= scale.base ** BigInt(scale.exponent);
  else denominator *= scale.base ** BigInt(-scale.exponent);
  return { nano: roundUp(numerator, denominator), format: scale.format };
}

/** Whole units, rounded up: bytes of a storage size. */
export function wholeUnits(quantity: Quantity): bigint {
  return roundUp(quantity.nano, NANO);
}

export function quantityOf(units: bigint, format: QuantityFormat): Quantity {
  return { nano: units * NANO, format };
}

function printBinary(quantity: Quantity): string {
  let units = wholeUnits(quantity);
  let power = 0;
  while (power < binarySuffixes.length - 1 && units % 1024n === 0n) {
    units /= 1024n;
    power++;
  }
  return `${units}${binarySuffixes[power]}`;
}

function printDecimal(quantity: Quantity): string {
  let amount = quantity.nano;
  let exponent = -9;
  while (exponent < 18 && amount % 1000n === 0n) {
    amount /= 1000n;
    exponent += 3;
  }
  if (quantity.format !== 'DecimalExponent') return `${amount}${decimalSuffixes.get(exponent)}`;
  return exponent === 0 ? `${amount}` : `${amount}e${exponent}`;
}

/** The canonical text, as an API server prints it: `1.5Gi` is `1536Mi`, `1000000000` is `1G`. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.nano === 0n) return '0';
  const small = quantity.nano > -1024n * NANO && quantity.nano < 1024n * NANO;
  if (quantity.format === 'BinarySI' && !small) return printBinary(quantity);
  return printDecimal(quantity.format === 'BinarySI' ? { ...quantity, format: 'DecimalSI' } : quantity);
}

/** The canonical text of a quantity's text. @throws RangeError */
export function canonicalQuantity(text: string | number): string {
  return formatQuantity(parseQuantity(text));
}

/** A fraction of a quantity in whole units, printed in the same family of suffixes: half of `7Gi` is `3584Mi`. */
export function fractionOf(text: string | number, numerator: bigint, denominator: bigint): string {
  const quantity = parseQuantity(text);
  return formatQuantity(quantityOf((wholeUnits(quantity) * numerator) / denominator, quantity.format));
}
