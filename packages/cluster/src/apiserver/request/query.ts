import { apiError, badRequest, invalid } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';

/** Query parameters of a request, by name. */
export type Query = Readonly<Record<string, string>>;

/** Options of create, update and patch. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict';
  /** Only for apply: take fields over. */
  readonly force: boolean;
}

/** A whole, not negative number; `undefined` when the parameter is absent or empty. */
export function integerParameter(query: Query, name: string): number | undefined {
  const text = query[name];
  if (text === undefined || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** A boolean as written by clients; absent is `undefined`, anything but false is true. */
export function booleanParameter(query: Query, name: string): boolean | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  return !(text === 'false' || text === '0' || text === 'False' || text === 'FALSE' || text === 'f' || text === 'F');
}

/** 422 for options, as the real server answers. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): never {
  throw invalid('meta.k8s.io', kind, '', errors);
}

function notSupported(field: string, value: unknown, allowed: readonly string[]): FieldError {
  const list = allowed.map((entry) => JSON.stringify(entry)).join(', ');
  return {
    field,
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`,
  };
}

/** Violations of the `dryRun` option: `All` or nothing. */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [notSupported('dryRun', values, ['All'])];
}

function fieldManagerErrors(manager: string): FieldError[] {
  const field = 'fieldManager';
  if (manager.length > 128) {
    return [{ field, reason: 'FieldValueTooLong', message: 'Too long: may not be more than 128 bytes' }];
  }
  const letters = [...manager];
  const bad = letters.findIndex((letter) => !/^\P{C}$/u.test(letter));
  if (bad < 0) return [];
  const code = (letters[bad]?.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const given = JSON.stringify(manager).replaceAll(/\\u00([01][0-9a-f])/g, '\\x$1');
  const message = `Invalid value: ${given}: invalid character U+${code} (at position ${bad})`;
  return [{ field, reason: 'FieldValueInvalid', message }];
}

/** Options of a write. @param kind name of the options type for errors. @throws ApiError Invalid, all violations at once */
export function writeOptions(
  query: Query,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  apply = false,
): WriteOptions {
  const errors: FieldError[] = [];
  const manager = query.fieldManager ?? '';
  if (apply && manager === '') {
    errors.push({
      field: 'fieldManager',
      reason: 'FieldValueRequired',
      message: 'Required value: is required for apply patch',
    });
  }
  if (kind === 'PatchOptions' && !apply && query.force !== undefined) {
    errors.push({
      field: 'force',
      reason: 'FieldValueForbidden',
      message: 'Forbidden: may not be specified for non-apply patch',
    });
  }
  errors.push(...fieldManagerErrors(manager));
  const dryRun = query.dryRun === undefined ? [] : [query.dryRun];
  errors.push(...dryRunErrors(dryRun));
  const validation = query.fieldValidation ?? '';
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(validation)) {
    errors.push(notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) invalidOptions(kind, errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager,
    fieldValidation: validation === 'Ignore' || validation === 'Strict' ? validation : 'Warn',
    force: booleanParameter(query, 'force') ?? false,
  };
}

/** Checks `?timeout=`: a Go duration (`34s`, `1m30s`). @throws ApiError BadRequest */
export function checkTimeout(query: Query): void {
  const text = query.timeout;
  if (text === undefined || text === '') return;
  if (
    text !== '0' &&
    !/^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$/.test(text)
  ) {
    throw badRequest(`invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}`);
  }
}

/** A resource version: digits; `undefined` when absent. @param code what a broken one is answered with */
export function resourceVersionParameter(query: Query, code: 400 | 500): string | undefined {
  const text = query.resourceVersion;
  if (text === undefined || text === '') return undefined;
  if (/^\d+$/.test(text)) return text;
  const message = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw code === 400 ? badRequest(`invalid resource version: ${message}`) : apiError(500, '', message);
}
