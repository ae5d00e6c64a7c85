import { type GoField, type GoType, goTypeOf } from './table.ts';

type Fields = Record<string, unknown>;

/**
 * Takes the nulls out of an object, in place, as Go's decoder has it: a field of a struct is not set, an entry of a map or a list is the
 * zero value of its type.
 */
export function settleNulls(definition: string, value: object): void {
  settle(goTypeOf(definition), value);
}

function settle(type: GoType | undefined, value: object): void {
  if (Object.isFrozen(value)) return;
  if (Array.isArray(value)) settleItems(type?.kind === 'list' ? type.items : undefined, value);
  else if (type?.kind === 'map') settleEntries(type.values, value as Fields);
  else settleFields(type?.kind === 'struct' ? type.fields : undefined, value as Fields);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function settleItems(items: GoType | undefined, list: unknown[]): void {
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (item === null) list[i] = zeroOf(items);
    else if (isObject(item)) settle(items, item);
  }
}

function settleEntries(values: GoType, entries: Fields): void {
  for (const key of Object.keys(entries)) {
    const entry = entries[key];
    if (entry === null) entries[key] = zeroOf(values);
    else if (isObject(entry)) settle(values, entry);
  }
}

function settleFields(known: ReadonlyMap<string, GoField> | undefined, fields: Fields): void {
  for (const key of Object.keys(fields)) {
    const field = fields[key];
    if (field === null) delete fields[key];
    else if (isObject(field)) settle(known?.get(key)?.type, field);
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
