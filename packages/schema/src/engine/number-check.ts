import { fieldError } from '../field-error.ts';
import type { SchemaNode } from '../node.ts';
import { type Check, isInt64, type Kind } from './check.ts';
import { formatDouble, formatNumber } from './go-text.ts';
import type { Report } from './report.ts';
import { formatOf, typesOf } from './type-check.ts';

/** A `bigint` is a whole number of 64 bits that no double holds. */
type Numeric = number | bigint;

/** Tests a number against one keyword, or says why the keyword itself cannot be met. */
type Rule = (value: Numeric, report: Report | undefined) => boolean;

/** The numbers a type and format can hold. */
interface Range {
  readonly name: string;
  holds(value: Numeric): boolean;
}

/** Range of the format, then `multipleOf`, `minimum` and `maximum`. Whole values are compared as the server's integers. */
export function numberCheck(node: SchemaNode, kind: Kind): Check | undefined {
  const range = rangeOf(node);
  const rules: Rule[] = [];
  if (range) rules.push(inRange(range, 'Checked'));
  for (const [prefix, bound, makeRule] of boundsOf(node, kind)) {
    const usable = range?.holds(bound) ?? true;
    if (range && !usable) rules.push((_, report) => report?.unplaced(outOfRange(range, prefix, report)) ?? false);
    rules.push(makeRule(usable && kind === 'integer' ? Math.trunc(bound) : bound));
  }
  if (rules.length === 0) return undefined;
  return (given, report) => {
    const value = given as Numeric;
    const number = kind === 'number' ? Number(value) : value;
    let valid = true;
    for (const rule of rules) {
      if (rule(number, report)) continue;
      if (!report) return false;
      valid = false;
    }
    return valid;
  };
}

function boundsOf(node: SchemaNode, kind: Kind): readonly (readonly [string, number, (bound: number) => Rule])[] {
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = node;
  const bounds: [string, number, (bound: number) => Rule][] = [];
  const add = (name: string, bound: number | undefined, makeRule: (bound: number) => Rule) => {
    // A long one comes as a bigint; the server keeps all bounds as doubles.
    if (bound !== undefined) bounds.push([name, Number(bound), makeRule]);
  };
  const text = kind === 'integer' ? formatNumber : formatDouble;
  add('MultipleOf', multipleOf, (n) => multipleRule(n, text(n)));
  add('Minimum boundary', minimum, (n) => minimumRule(n, text(n), exclusiveMinimum));
  add('Maximum boundary', maximum, (n) => maximumRule(n, text(n), exclusiveMaximum));
  return bounds;
}

function rangeOf(node: SchemaNode): Range | undefined {
  const types = typesOf(node);
  const format = formatOf(node);
  if (types.length !== 1) return undefined;
  if (types[0] === 'integer') {
    const limit = format === 'int32' ? 2 ** 31 : 2 ** 63;
    const name = `integer ${format ? `with format ${format}` : '(default format)'}`;
    const whole = (value: Numeric) => (typeof value === 'bigint' ? isInt64(value) : Number.isInteger(value));
    return { name, holds: (value) => whole(value) && value >= -limit && value < limit };
  }
  if (types[0] !== 'number' || format !== 'float') return undefined;
  return { name: 'number with format float', holds: (value) => Number.isFinite(Math.fround(Number(value))) };
}

function inRange(range: Range, prefix: string): Rule {
  return (value, report) => range.holds(value) || (report?.unplaced(outOfRange(range, prefix, report)) ?? false);
}

function outOfRange({ name }: Range, prefix: string, { path }: Report): string {
  return `${prefix} value must be of type ${name} in ${path}`;
}

function comparison(detail: string, holds: (value: Numeric) => boolean): Rule {
  return (value, report) => {
    if (holds(value)) return true;
    return report?.problem(detail, (field, text) => fieldError.invalid(field, value, text)) ?? false;
  };
}

function multipleRule(factor: number, shown: string): Rule {
  if (factor > 0) {
    return comparison(`should be a multiple of ${shown}`, (value) => isMultiple(value, factor));
  }
  return (_, report) => {
    if (!report) return false;
    const text = `factor MultipleOf declared for ${report.path} must be positive: ${shown}`;
    return report.problem(text, (field) => fieldError.invalid(field, factor, text));
  };
}

/** Dividing by a fraction is done by multiplying with its inverse; a billionth is near enough to a whole. */
function isMultiple(value: Numeric, factor: number): boolean {
  if (typeof value === 'bigint' && Number.isInteger(factor)) return value % BigInt(factor) === 0n;
  const quotient = factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

function minimumRule(bound: number, text: string, exclusive: boolean): Rule {
  return exclusive
    ? comparison(`should be greater than ${text}`, (value) => value > bound)
    : comparison(`should be greater than or equal to ${text}`, (value) => value >= bound);
}

function maximumRule(bound: number, text: string, exclusive: boolean): Rule {
  return exclusive
    ? comparison(`should be less than ${text}`, (value) => value < bound)
    : comparison(`should be less than or equal to ${text}`, (value) => value <= bound);
}
