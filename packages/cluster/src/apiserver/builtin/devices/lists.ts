import type { FieldError } from '@coxswain/schema';
import { isObject, listAt, type ReadJson } from '../shared/draft.ts';
import { duplicate, invalidValue, required, tooLong } from '../shared/errors.ts';
import { cIdentifierName, dnsLabel, dnsSubdomain } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';

/** Checks one entry; `field` says where it is. */
type Check = (entry: unknown, field: string) => readonly FieldError[];

export function tooMany(field: string, count: number, most: number): FieldError {
  const message = `Too many: ${count}: must have at most ${most} items`;
  return { field, reason: 'FieldValueTooMany', message };
}

/** Checks the list at `key`. One that is too long is not looked into. */
export function checkList(parent: ReadJson | undefined, key: string, path: string, most: number, check: Check) {
  const list = listAt(parent, key);
  const field = `${path}.${key}`;
  if (list.length > most) return [tooMany(field, list.length, most)];
  return list.flatMap((entry, i) => check(entry, `${field}[${i}]`));
}

/** The same for a list whose entries are told apart by `keyOf`; a second one of a key is a duplicate. */
export function checkSet(
  parent: ReadJson | undefined,
  key: string,
  path: string,
  most: number,
  check: Check,
  keyOf: (entry: unknown) => unknown = (entry) => entry,
): readonly FieldError[] {
  const errors = [...checkList(parent, key, path, most, check)];
  const list = listAt(parent, key);
  if (list.length > most) return errors;
  const seen = new Set<unknown>();
  list.forEach((entry, i) => {
    const own = keyOf(entry);
    if (seen.has(own)) errors.push(duplicate(`${path}.${key}[${i}]`, own));
    seen.add(own);
  });
  return errors;
}

/** An entry that must be an object; the schema check says so of others. */
export const asEntry = (entry: unknown): ReadJson => (isObject(entry) ? entry : {});

/** Names of drivers: DNS names of at most 63 bytes, in either case. */
export function checkDriver(name: string, field: string): readonly FieldError[] {
  if (name === '') return [required(field)];
  return [
    ...(name.length > 63 ? [tooLong(field, 63)] : []),
    ...dnsSubdomain(name.toLowerCase()).map((text) => invalidValue(field, name, text)),
  ];
}

/** Names of pools: DNS names with slashes between them. */
export function checkPool(name: string, field: string): readonly FieldError[] {
  if (name === '') return [required(field)];
  return [
    ...(name.length > 253 ? [tooLong(field, 253)] : []),
    ...name.split('/').flatMap((part) => formatErrors(part, field, dnsSubdomain)),
  ];
}

export const checkLabelName = (name: string, field: string): readonly FieldError[] =>
  formatErrors(name, field, dnsLabel);

function checkIdentifier(id: string, field: string): readonly FieldError[] {
  return [...(id.length > 32 ? [tooLong(field, 32)] : []), ...formatErrors(id, field, cIdentifierName)];
}

/** Names of attributes and capacities: an identifier, with the domain of a driver before it or not. */
export function checkQualified(name: string, field: string): readonly FieldError[] {
  const parts = name.split('/');
  const [first = '', second = ''] = parts;
  if (parts.length === 1) return checkIdentifier(first, field);
  if (parts.length > 2) return [];
  return [
    ...(first === '' ? [invalidValue(field, '', 'the domain must not be empty')] : checkDriver(first, field)),
    ...(second === '' ? [invalidValue(field, '', 'the name must not be empty')] : checkIdentifier(second, field)),
  ];
}

/** The same, with the domain. */
export function checkFullyQualified(name: string, field: string): readonly FieldError[] {
  const text = 'a fully qualified name must be a domain and a name separated by a slash';
  return [...checkQualified(name, field), ...(name.includes('/') ? [] : [invalidValue(field, name, text)])];
}
