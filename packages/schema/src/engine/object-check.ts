import { fieldError } from '../field-error.ts';
import { own } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import type { Check } from './check.ts';
import { descend, reportFew } from './list-check.ts';
import type { Report } from './report.ts';
import type { Validator } from './validator.ts';

type Fields = Readonly<Record<string, unknown>>;
type ObjectRule = (fields: Fields, report: Report | undefined) => boolean;

/** Number of properties, unnamed properties, named properties, then the required ones. */
export function objectCheck(validator: Validator, node: SchemaNode): Check | undefined {
  const rules = [sizeRule(node), unnamedRule(validator, node), namedRule(validator, node), requiredRule(node)].filter(
    (rule) => rule !== undefined,
  );
  if (rules.length === 0) return undefined;
  return (value, report) => {
    let valid = true;
    for (const rule of rules) {
      if (rule(value as Fields, report)) continue;
      if (!report) return false;
      valid = false;
    }
    return valid;
  };
}

function sizeRule({ minProperties, maxProperties }: SchemaNode): ObjectRule | undefined {
  if (minProperties === undefined && maxProperties === undefined) return undefined;
  const min = minProperties ?? 0;
  const max = maxProperties ?? Number.POSITIVE_INFINITY;
  return (fields, report) => {
    const size = sizeOf(fields);
    if (size >= min && size <= max) return true;
    if (!report) return false;
    if (size < min) return reportFew(report, size, `should have at least ${min} properties`);
    return report.problem(`should have at most ${max} properties`, (field) => fieldError.tooMany(field, size, max));
  };
}

function sizeOf(fields: Fields): number {
  let size = 0;
  for (const name in fields) if (fields[name] !== undefined) size += 1;
  return size;
}

/** Properties the node does not name: refused when `additionalProperties` is false, checked when it is a schema. */
function unnamedRule(validator: Validator, node: SchemaNode): ObjectRule | undefined {
  const { additionalProperties, properties = {} } = node;
  if (additionalProperties === undefined || additionalProperties === true) return undefined;
  const check = additionalProperties === false ? undefined : validator.check(additionalProperties);
  return (fields, report) => {
    let valid = true;
    for (const name in fields) {
      const value = fields[name];
      if (value === undefined || Object.hasOwn(properties, name)) continue;
      if (report) valid = checkUnnamed(check, name, value, report) && valid;
      else if (!check?.(value, undefined)) return false;
    }
    return valid;
  };
}

function checkUnnamed(check: Check | undefined, name: string, value: unknown, report: Report): boolean {
  const path = `${report.path}.${name}`;
  if (check) return descend(check, value, report, path, fieldCorrelation(report, name));
  const toError = (field: string, text: string) => fieldError.invalid(field, name, text);
  return report.problem('is a forbidden property', toError, path, report.path);
}

/** Names every object inherits: reading them needs care. */
const inherited = Object.prototype as unknown as Fields;

function namedRule(validator: Validator, node: SchemaNode): ObjectRule | undefined {
  const named = Object.entries(node.properties ?? {}).map(([name, child]) => ({
    name,
    check: validator.check(child),
    careful: name in inherited,
  }));
  if (named.length === 0) return undefined;
  return (fields, report) => {
    let valid = true;
    for (let i = 0; i < named.length; i++) {
      const property = named[i];
      if (!property) continue;
      const { name, check } = property;
      const value = property.careful ? own(fields, name) : fields[name];
      if (value === undefined) continue;
      if (report) valid = checkNamed(check, name, value, report) && valid;
      else if (!check(value, undefined)) return false;
    }
    return valid;
  };
}

function checkNamed(check: Check, name: string, value: unknown, report: Report): boolean {
  const path = report.path === '' ? name : `${report.path}.${name}`;
  return descend(check, value, report, path, fieldCorrelation(report, name));
}

/** Kind and version of the object itself are never forgiven: both are converted before they can be compared. */
function fieldCorrelation(report: Report, name: string) {
  if (report.path === '' && (name === 'kind' || name === 'apiVersion')) return undefined;
  return report.correlation?.field(name);
}

function requiredRule({ required }: SchemaNode): ObjectRule | undefined {
  if (!required || required.length === 0) return undefined;
  return (fields, report) => {
    let valid = true;
    for (const name of required) {
      if ((name in inherited ? own(fields, name) : fields[name]) !== undefined) continue;
      if (!report) return false;
      valid = report.problem('is required', (field) => fieldError.required(field), `${report.path}.${name}`);
    }
    return valid;
  };
}
