import { quote } from '../../engine/go-text.ts';
import { compareText } from '../values/compare.ts';
import { formatDouble, typeNameOf } from '../values/describe.ts';
import { CelError } from '../values/errors.ts';
import { CelList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { formatDuration, formatTimestamp } from '../values/time.ts';
import { CelDouble, CelUint, Duration, Timestamp, TypeValue, type Value } from '../values/value.ts';

/** `localized` groups digits as Kubernetes' version of the extension does; `plain` is how later versions print. */
export type FormatStyle = 'localized' | 'plain';

const clause = /%(?:%|(?:\.(\d+))?([a-zA-Z]?))/g;
const maxPrecision = 1_000;

/** `text.format(list)`. @throws {CelError} for clauses that are unknown or do not fit their argument */
export function formatText(template: string, args: CelList, style: FormatStyle): string {
  let next = 0;
  return template.replace(clause, (whole, precision: string | undefined, verb: string | undefined) => {
    if (whole === '%%') return '%';
    if (next >= args.size) throw new CelError(`index ${next} out of range`);
    const arg = args.at(next);
    next += 1;
    if (verb === '' || verb === undefined) throw new CelError('unexpected end of string');
    return formatClause(verb, precision, arg, style);
  });
}

function formatClause(verb: string, precision: string | undefined, arg: Value, style: FormatStyle): string {
  const digits = precision === undefined ? 6 : Number(precision);
  if (digits > maxPrecision) {
    throw new CelError(
      `could not parse formatting clause: error while parsing precision: precision ${digits} exceeds maximum allowed precision ${maxPrecision}`,
    );
  }
  switch (verb) {
    case 's':
      return formatString(arg, style);
    case 'd':
      return formatDecimal(arg, style);
    case 'f':
      return formatFixed(arg, digits, style);
    case 'e':
      return formatScientific(arg, digits, style);
    case 'b':
      return formatBinary(arg);
    case 'x':
      return formatHex(arg);
    case 'X':
      return formatHex(arg).toUpperCase();
    case 'o':
      return radix(arg, 8) ?? refuse('octal clause can only be used on integers', arg);
    default:
      throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

/** What a clause says about an argument of a type that it cannot take. */
export const clauseComplaints: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

function refuse(complaint: string, arg: Value): never {
  throw new CelError(`error during formatting: ${complaint}, was given ${typeNameOf(arg)}`);
}

function radix(arg: Value, base: number): string | undefined {
  if (typeof arg === 'number' || typeof arg === 'bigint') return arg.toString(base);
  return arg instanceof CelUint ? arg.value.toString(base) : undefined;
}

function formatBinary(arg: Value): string {
  if (typeof arg === 'boolean') return arg ? '1' : '0';
  return radix(arg, 2) ?? refuse(clauseComplaints.b ?? '', arg);
}

function formatHex(arg: Value): string {
  const bytes = typeof arg === 'string' ? new TextEncoder().encode(arg) : arg;
  if (bytes instanceof Uint8Array) return Buffer.from(bytes).toString('hex');
  return radix(arg, 16) ?? refuse(clauseComplaints.x ?? '', arg);
}

function formatDecimal(arg: Value, style: FormatStyle): string {
  if (style === 'plain' && arg instanceof CelDouble && !Number.isFinite(arg.value)) return special(arg.value, style);
  if (style === 'plain' && arg instanceof CelDouble && Number.isInteger(arg.value)) return String(BigInt(arg.value));
  return radix(arg, 10) ?? refuse(clauseComplaints.d ?? '', arg);
}

const notFinite: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

function numberOf(arg: Value, complaint: string, style: FormatStyle): number {
  if (arg instanceof CelDouble) return arg.value;
  if (typeof arg === 'string' && Object.hasOwn(notFinite, arg)) return notFinite[arg] ?? Number.NaN;
  if (style === 'plain' && (typeof arg === 'number' || typeof arg === 'bigint')) return Number(arg);
  if (style === 'plain' && arg instanceof CelUint) return Number(arg.value);
  return refuse(complaint, arg);
}

function special(value: number, style: FormatStyle): string {
  if (Number.isNaN(value)) return 'NaN';
  const symbol = style === 'plain' ? 'Infinity' : '∞';
  return value > 0 ? symbol : `-${symbol}`;
}

function formatFixed(arg: Value, digits: number, style: FormatStyle): string {
  const value = numberOf(arg, clauseComplaints.f ?? '', style);
  if (!Number.isFinite(value)) return special(value, style);
  const fixed = toFixed(value, digits);
  return style === 'plain'
    ? fixed
    : fixed.replace(/\d(?=(?:\d{3})+(?:\.|$))/g, (digit, at: number) => {
        return fixed.lastIndexOf('.', at) < 0 ? `${digit},` : digit;
      });
}

/** `toFixed` without its limits: 100 digits, and no exponent for large numbers. */
function toFixed(value: number, digits: number): string {
  const shown = Math.min(digits, 100);
  const base =
    Math.abs(value) < 1e21
      ? roundToEven(value, shown)
      : BigInt(value).toString() + (shown > 0 ? `.${'0'.repeat(shown)}` : '');
  return base + '0'.repeat(digits - shown);
}

/** `toFixed` with exact halves going to the even neighbour. */
function roundToEven(value: number, digits: number): string {
  const fixed = value.toFixed(digits);
  const exact = Math.abs(value).toFixed(Math.min(digits + 60, 100));
  const isHalf = /^50*$/.test(exact.slice(exact.indexOf('.') + 1 + digits));
  if (!isHalf || !/[13579]$/.test(fixed)) return fixed;
  return fixed.replace(/\d$/, (digit) => String(Number(digit) - 1));
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** In the localized style the precision is a width, as a slip in the extension has it. */
function formatScientific(arg: Value, digits: number, style: FormatStyle): string {
  const value = numberOf(arg, clauseComplaints.e ?? '', style);
  if (!Number.isFinite(value)) return special(value, style).padStart(style === 'plain' ? 0 : digits);
  const [mantissa = '', exponent = ''] = value.toExponential(style === 'plain' ? Math.min(digits, 100) : 6).split('e');
  const power = `${exponent.slice(1).padStart(2, '0')}`;
  if (style === 'plain') return `${mantissa}e${exponent.slice(0, 1)}${power}`;
  const raised = power.replace(/\d/g, (digit) => superscripts[Number(digit)] ?? '');
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`.padStart(digits);
}

/** `%s`. Inside lists and maps, texts are quoted and times wrapped. */
function formatString(arg: Value, style: FormatStyle): string {
  if (typeof arg === 'string') return arg;
  if (arg === null) return 'null';
  if (arg instanceof CelDouble && !Number.isFinite(arg.value) && style === 'plain') return special(arg.value, style);
  if (arg instanceof CelDouble) return formatDouble(arg.value);
  if (arg instanceof Uint8Array) return new TextDecoder().decode(arg);
  if (arg instanceof Timestamp) return formatTimestamp(arg);
  if (arg instanceof Duration) return formatDuration(arg);
  if (arg instanceof TypeValue) return arg.name;
  if (arg instanceof CelList) return `[${[...arg].map((item) => formatItem(item, style)).join(', ')}]`;
  if (arg instanceof CelMap) return formatMap(arg, style);
  return typeof arg === 'boolean' ? String(arg) : (radix(arg, 10) ?? refuse(clauseComplaints.s ?? '', arg));
}

function formatMap(arg: CelMap, style: FormatStyle): string {
  const separator = style === 'plain' ? ': ' : ':';
  const entries = [...arg.keys()].map((key) => {
    return { key: formatItem(key, style), value: formatItem(arg.find(key) ?? null, style) };
  });
  entries.sort((a, b) => compareText(a.key, b.key));
  return `{${entries.map(({ key, value }) => `${key}${separator}${value}`).join(', ')}}`;
}

function formatItem(item: Value, style: FormatStyle): string {
  if (style === 'plain') return formatString(item, style);
  if (typeof item === 'string') return quote(item);
  if (item instanceof Uint8Array) return `b${quote(new TextDecoder().decode(item))}`;
  if (item instanceof Timestamp) return `timestamp("${formatTimestamp(item)}")`;
  if (item instanceof Duration) return `duration("${formatDuration(item)}")`;
  if (item instanceof CelDouble) {
    return Number.isFinite(item.value) ? toFixed(item.value, 6) : `"${formatDouble(item.value)}"`;
  }
  return formatString(item, style);
}
