import { fieldError } from '../field-error.ts';
import { sameJson } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import type { Check } from './check.ts';
import { Report } from './report.ts';
import type { Validator } from './validator.ts';

/** Items, then `minItems`, `maxItems` and `uniqueItems`. */
export function listCheck(validator: Validator, node: SchemaNode): Check | undefined {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems } = node;
  const item = node.items && validator.check(node.items);
  if (!item && minItems === 0 && maxItems === Number.POSITIVE_INFINITY && !uniqueItems) return undefined;
  return (value, report) => {
    const list = value as readonly unknown[];
    let valid = true;
    if (item) valid = checkItems(item, list, report);
    if (!report) return valid && list.length >= minItems && list.length <= maxItems && !(uniqueItems && repeats(list));
    if (list.length < minItems) valid = reportFew(report, list.length, `should have at least ${minItems} items`);
    if (list.length > maxItems) {
      const detail = `should have at most ${maxItems} items`;
      valid = report.problem(detail, (field) => fieldError.tooMany(field, list.length, maxItems));
    }
    if (uniqueItems && repeats(list)) {
      valid = report.problem("shouldn't contain duplicates", (field, text) => fieldError.invalid(field, '', text));
    }
    return valid;
  };
}

/** A size below its minimum is the refused value itself. */
export function reportFew(report: Report, size: number, detail: string): false {
  return report.problem(detail, (field, text) => fieldError.invalid(field, size, text));
}

function checkItems(item: Check, list: readonly unknown[], report: Report | undefined): boolean {
  let valid = true;
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (report) valid = descend(item, value, report, `${report.path}[${i}]`, report.correlation?.item(i)) && valid;
    else if (!item(value, undefined)) return false;
  }
  return valid;
}

/** Checks a part of a value in a report of its own; a part that is as it was before is forgiven. */
export function descend(
  check: Check,
  value: unknown,
  report: Report,
  path: string,
  correlation: Report['correlation'],
): boolean {
  const part = new Report(path, correlation);
  check(value, part);
  if (!part.valid && correlation?.unchanged) part.forgive();
  report.merge(part);
  return part.valid;
}

function repeats(list: readonly unknown[]): boolean {
  return list.some((item, index) => list.slice(0, index).some((earlier) => sameJson(earlier, item)));
}
