import { type GoType, goTypeOf } from './table.ts';

/**
 * JSON as Go writes it: the fields of structs in their order, those of maps by name, `<`, `>` and `&` escaped.
 * @param definition the type of the value; absent: one without structs
 * @param changed whether a part was made by a patch, which leaves a map in place of the struct; default: none was
 */
export function marshal(value: unknown, definition?: string, changed: (part: object) => boolean = () => false): string {
  return write(value, definition === undefined ? undefined : goTypeOf(definition), changed);
}

function write(value: unknown, type: GoType | undefined, changed: (part: object) => boolean): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) {
    const items = type?.kind === 'list' ? type.items : undefined;
    return `[${value.map((item) => write(item, items, changed)).join(',')}]`;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const known = type?.kind === 'struct' ? type.fields : undefined;
  const members = keysOf(fields, changed(fields) ? undefined : known).map((key) => {
    const member = type?.kind === 'map' ? type.values : known?.get(key)?.type;
    return `${text(key)}:${write(fields[key], member, changed)}`;
  });
  return `{${members.join(',')}}`;
}

function keysOf(fields: Readonly<Record<string, unknown>>, order: ReadonlyMap<string, unknown> | undefined): string[] {
  const keys = Object.keys(fields).filter((key) => fields[key] !== undefined);
  if (!order) return keys.sort();
  const ordered = [...order.keys()].filter((key) => fields[key] !== undefined);
  return [...ordered, ...keys.filter((key) => !order.has(key)).sort()];
}

const escaped = /[<>&\u2028\u2029]/g;

function text(value: string): string {
  return JSON.stringify(value).replace(escaped, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
