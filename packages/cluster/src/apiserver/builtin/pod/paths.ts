import type { FieldError } from '@coxswain/schema';
import { invalidValue } from '../shared/errors.ts';

export function noBacksteps(path: string, field: string): readonly FieldError[] {
  return path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];
}

/** A relative path that stays below where it starts. */
export function descendingPath(path: string, field: string): readonly FieldError[] {
  const errors = path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : [];
  return [...errors, ...noBacksteps(path, field)];
}

/** The path of a file in a volume: `..` at its start is kept for the kubelet. */
export function localPath(path: string, field: string): readonly FieldError[] {
  const errors = [...descendingPath(path, field)];
  if (path.startsWith('..') && !path.startsWith('../'))
    errors.push(invalidValue(field, path, "must not start with '..'"));
  return errors;
}
