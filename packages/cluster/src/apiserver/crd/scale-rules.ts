import type { FieldError } from '@coxswain/schema';
import { isObject, type ReadJson } from '../builtin/shared/draft.ts';
import { invalidValue } from '../builtin/shared/errors.ts';
import { goText } from '../patch/index.ts';

const most = 2 ** 31 - 1;

/** What a path leads to, or why it leads nowhere. */
type Found = { readonly value: unknown } | { readonly problem: string };

function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64';
}

const misfit = (path: string, value: unknown, wanted: string): string =>
  `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${wanted}`;

function find(object: ReadJson, path: string): Found {
  const fields = path.replace(/^\./, '').split('.');
  let value: unknown = object;
  for (const [i, name] of fields.entries()) {
    if (value === null || value === undefined) return { value: undefined };
    if (!isObject(value)) {
      return { problem: misfit(`.${fields.slice(0, i + 1).join('.')}`, value, 'map[string]interface{}') };
    }
    if (!Object.hasOwn(value, name)) return { value: undefined };
    value = value[name];
  }
  return goType(value) === '<nil>' && value === undefined ? { value: undefined } : { value };
}

function checkCount(object: ReadJson, path: string): readonly FieldError[] {
  const found = find(object, path);
  if ('problem' in found) return [invalidValue(path, 0, found.problem)];
  const { value } = found;
  if (value === undefined) return [];
  if (goType(value) !== 'int64') return [invalidValue(path, 0, misfit(path, value, 'int64'))];
  const count = value as number | bigint;
  if (count < 0) return [invalidValue(path, count, 'should be a non-negative integer')];
  return count > most ? [invalidValue(path, count, `should be less than or equal to ${most}`)] : [];
}

function checkSelector(object: ReadJson, path: string): readonly FieldError[] {
  const found = find(object, path);
  if ('problem' in found) return [invalidValue(path, '', found.problem)];
  const { value } = found;
  if (value === undefined || typeof value === 'string') return [];
  return [invalidValue(path, '', misfit(path, value, 'string'))];
}

/** The paths of a `scale` subresource, as a definition has them. */
export interface ScaleFields {
  readonly spec: string;
  readonly status: string;
  readonly selector: string;
}

/** What stands at the paths of the scale has to be what a scale can say. A write of the status is held to its part only. */
export function scaleErrors(object: ReadJson, fields: ScaleFields, subresource: string): readonly FieldError[] {
  return [
    ...(subresource === 'status' ? [] : checkCount(object, fields.spec)),
    ...checkCount(object, fields.status),
    ...(fields.selector === '' ? [] : checkSelector(object, fields.selector)),
  ];
}
