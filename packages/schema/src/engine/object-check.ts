import { own } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import type { Check } from './check.ts';
import { type Fields, objectReport, sizeOf } from './object-report.ts';
import type { Validator } from './validator.ts';

/**
 * Checks objects. Reports go by the schema, in its order (`object-report.ts`); this quick check goes by the fields that
 * are there, since most of those that could be there are not.
 */
export function objectCheck(validator: Validator, node: SchemaNode): Check | undefined {
  const { properties = {}, additionalProperties, required = [], minProperties, maxProperties } = node;
  const sized = minProperties !== undefined || maxProperties !== undefined;
  const open = Object.keys(properties).length === 0 && (additionalProperties ?? true) === true;
  if (open && required.length === 0 && !sized) return undefined;
  const children = childrenCheck(validator, node);
  const min = minProperties ?? 0;
  const max = maxProperties ?? Number.POSITIVE_INFINITY;
  let explain: ReturnType<typeof objectReport> | undefined;
  return (value, report) => {
    const fields = value as Fields;
    if (report) {
      explain ??= objectReport(validator, node);
      return explain(fields, report);
    }
    if (sized && (sizeOf(fields) < min || sizeOf(fields) > max)) return false;
    return hasAll(fields, required) && children(fields);
  };
}

/** Names every object inherits: reading them needs care. */
const inherited = Object.prototype as unknown as Fields;

function hasAll(fields: Fields, required: readonly string[]): boolean {
  for (let i = 0; i < required.length; i++) {
    const name = required[i] ?? '';
    if ((name in inherited ? own(fields, name) : fields[name]) === undefined) return false;
  }
  return true;
}

function childrenCheck(validator: Validator, { properties = {}, additionalProperties }: SchemaNode) {
  const named = new Map(Object.entries(properties).map(([name, child]) => [name, validator.check(child)]));
  const others = typeof additionalProperties === 'object' ? validator.check(additionalProperties) : undefined;
  return (fields: Fields): boolean => {
    for (const name in fields) {
      const value = fields[name];
      if (value === undefined) continue;
      const check = named.get(name) ?? others;
      if (check ? !check(value, undefined) : additionalProperties === false) return false;
    }
    return true;
  };
}
