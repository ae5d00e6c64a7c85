import { type GoType, goFieldsOf, goTypeOf } from './table.ts';

type Fields = Record<string, unknown>;

/**
 * Takes the nulls out of an object, in place, as Go's decoder has it: a field of a struct is not set, an entry of a map or a list is the
 * zero value of its type.
 */
export function settleNulls(definition: string, value: object): void {
  settle(goTypeOf(definition), value);
}

function settle(type: GoType | undefined, value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  if (Array.isArray(value)) {
    const items = type?.kind === 'list' ? type.items : undefined;
    for (let i = 0; i < value.length; i++) {
      if (value[i] === null) value[i] = zeroOf(items);
      else settle(items, value[i]);
    }
    return;
  }
  const fields = value as Fields;
  if (type?.kind === 'map') settleEntries(type.values, fields);
  else settleFields(type?.kind === 'struct' ? type.definition : undefined, fields);
}

function settleEntries(values: GoType, entries: Fields): void {
  for (const key of Object.keys(entries)) {
    if (entries[key] === null) entries[key] = zeroOf(values);
    else settle(values, entries[key]);
  }
}

function settleFields(definition: string | undefined, fields: Fields): void {
  const known = definition === undefined ? undefined : goFieldsOf(definition);
  for (const key of Object.keys(fields)) {
    if (fields[key] === null) delete fields[key];
    else settle(known?.get(key)?.type, fields[key]);
  }
}

const scalarZeros: Readonly<Record<string, unknown>> = { string: '', bool: false, int32: 0, int64: 0, float64: 0 };

/** What null is in a place that cannot be without a value. */
function zeroOf(type: GoType | undefined): unknown {
  switch (type?.kind) {
    case 'struct':
      return {};
    case 'bytes':
      return '';
    case 'scalar':
      return scalarZeros[type.scalar] ?? null;
    case 'special':
      return type.name === 'resource.Quantity' ? '0' : type.name === 'intstr.IntOrString' ? 0 : null;
    default:
      return null;
  }
}
