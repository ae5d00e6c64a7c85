import { fieldError } from '../field-error.ts';
import type { SchemaNode } from '../node.ts';
import type { Check } from './check.ts';
import { formatNumber } from './go-text.ts';
import type { Report } from './report.ts';
import { formatOf, typesOf } from './type-check.ts';

/** Range of the format, then `multipleOf`, `minimum` and `maximum`. */
export function numberCheck(node: SchemaNode): Check | undefined {
  const range = rangeOf(node);
  const rules = [multipleOf(node), minimum(node), maximum(node)].filter((rule) => rule !== undefined);
  if (!range && rules.length === 0) return undefined;
  return (value, report) => {
    const number = value as number;
    let valid = true;
    if (range && !range.holds(number)) {
      if (!report) return false;
      report.unplaced(`Checked value must be of type ${range.name} in ${report.path}`);
      valid = false;
    }
    for (const rule of rules) {
      if (rule.holds(number)) continue;
      if (!report) return false;
      valid = reportNumber(report, number, rule.detail);
    }
    return valid;
  };
}

interface Rule {
  readonly detail: string;
  holds(value: number): boolean;
}

function reportNumber(report: Report, value: number, detail: string): false {
  return report.problem(detail, (field, text) => fieldError.invalid(field, value, text));
}

function rangeOf(node: SchemaNode): { name: string; holds(value: number): boolean } | undefined {
  const types = typesOf(node);
  const format = formatOf(node);
  if (types.length !== 1) return undefined;
  if (types[0] === 'integer') {
    const low = format === 'int32' ? -(2 ** 31) : -(2 ** 63);
    const high = format === 'int32' ? 2 ** 31 : 2 ** 63;
    const name = `integer ${format ? `with format ${format}` : '(default format)'}`;
    return { name, holds: (value) => Number.isInteger(value) && value >= low && value < high };
  }
  if (types[0] !== 'number' || format !== 'float') return undefined;
  return { name: 'number with format float', holds: (value) => Number.isFinite(Math.fround(value)) };
}

function multipleOf({ multipleOf: factor }: SchemaNode): Rule | undefined {
  if (factor === undefined) return undefined;
  return {
    detail: `should be a multiple of ${formatNumber(factor)}`,
    holds: (value) => isMultiple(value, factor),
  };
}

/** Dividing by a fraction is done by multiplying with its inverse; a billionth is near enough to a whole. */
function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  const whole = Math.round(quotient);
  return Math.abs(quotient - whole) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

function minimum({ minimum: bound, exclusiveMinimum }: SchemaNode): Rule | undefined {
  if (bound === undefined) return undefined;
  return exclusiveMinimum
    ? { detail: `should be greater than ${formatNumber(bound)}`, holds: (value) => value > bound }
    : { detail: `should be greater than or equal to ${formatNumber(bound)}`, holds: (value) => value >= bound };
}

function maximum({ maximum: bound, exclusiveMaximum }: SchemaNode): Rule | undefined {
  if (bound === undefined) return undefined;
  return exclusiveMaximum
    ? { detail: `should be less than ${formatNumber(bound)}`, holds: (value) => value < bound }
    : { detail: `should be less than or equal to ${formatNumber(bound)}`, holds: (value) => value <= bound };
}
