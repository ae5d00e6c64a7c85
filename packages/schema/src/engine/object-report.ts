import { fieldError } from '../field-error.ts';
import { own } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import type { Check } from './check.ts';
import { descend, reportFew } from './list-check.ts';
import type { Report } from './report.ts';
import type { Validator } from './validator.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Writes down one kind of violation of an object; answers whether there was none. */
type Rule = (fields: Fields, report: Report) => boolean;

/** Number of properties, unnamed properties, named properties, then the required ones: the server's order. */
export function objectReport(validator: Validator, node: SchemaNode): Rule {
  const rules = [sizeRule(node), unnamedRule(validator, node), namedRule(validator, node), requiredRule(node)];
  return (fields, report) => {
    let valid = true;
    for (const rule of rules) valid = rule(fields, report) && valid;
    return valid;
  };
}

/** How many fields there are; undefined ones are not. */
export function sizeOf(fields: Fields): number {
  let size = 0;
  for (const name in fields) if (fields[name] !== undefined) size += 1;
  return size;
}

function sizeRule({ minProperties: min = 0, maxProperties: max = Number.POSITIVE_INFINITY }: SchemaNode): Rule {
  return (fields, report) => {
    const size = sizeOf(fields);
    if (size < min) return reportFew(report, size, `should have at least ${min} properties`);
    if (size <= max) return true;
    return report.problem(`should have at most ${max} properties`, (field) => fieldError.tooMany(field, size, max));
  };
}

/** Properties the node does not name: refused when `additionalProperties` is false, checked when it is a schema. */
function unnamedRule(validator: Validator, { additionalProperties, properties = {} }: SchemaNode): Rule {
  if (additionalProperties === undefined || additionalProperties === true) return () => true;
  const check = additionalProperties === false ? undefined : validator.check(additionalProperties);
  return (fields, report) => {
    let valid = true;
    for (const name in fields) {
      const value = fields[name];
      if (value === undefined || Object.hasOwn(properties, name)) continue;
      valid = reportUnnamed(check, name, value, report) && valid;
    }
    return valid;
  };
}

function reportUnnamed(check: Check | undefined, name: string, value: unknown, report: Report): boolean {
  const path = `${report.path}.${name}`;
  if (check) return descend(check, value, report, path, fieldCorrelation(report, name));
  const toError = (field: string, text: string) => fieldError.invalid(field, name, text);
  return report.problem('is a forbidden property', toError, path, report.path);
}

function namedRule(validator: Validator, { properties = {} }: SchemaNode): Rule {
  return (fields, report) => {
    let valid = true;
    for (const [name, child] of Object.entries(properties)) {
      const value = own(fields, name);
      if (value === undefined) continue;
      const path = report.path === '' ? name : `${report.path}.${name}`;
      valid = descend(validator.check(child), value, report, path, fieldCorrelation(report, name)) && valid;
    }
    return valid;
  };
}

/** Kind and version of the object itself are never forgiven: both are converted before they can be compared. */
function fieldCorrelation(report: Report, name: string) {
  if (report.path === '' && (name === 'kind' || name === 'apiVersion')) return undefined;
  return report.correlation?.field(name);
}

function requiredRule({ required = [] }: SchemaNode): Rule {
  return (fields, report) => {
    let valid = true;
    for (const name of required) {
      if (own(fields, name) !== undefined) continue;
      valid = report.problem('is required', (field) => fieldError.required(field), `${report.path}.${name}`);
    }
    return valid;
  };
}
