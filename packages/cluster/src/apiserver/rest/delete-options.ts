import { badRequest } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { booleanParameter, dryRunErrors, integerParameter, invalidOptions, type Query } from '../request/query.ts';
import { isObject } from './clone.ts';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** DeleteOptions, checked. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
  /** The old `orphanDependents: false` was given: an object that stays is answered with 202. */
  readonly orphanDependentsFalse: boolean;
}

interface RawOptions {
  readonly gracePeriodSeconds?: unknown;
  readonly propagationPolicy?: unknown;
  readonly orphanDependents?: unknown;
  readonly dryRun?: unknown;
  readonly preconditions?: unknown;
}

function fromQuery(query: Query): RawOptions {
  return {
    gracePeriodSeconds: integerParameter(query, 'gracePeriodSeconds'),
    propagationPolicy: query.propagationPolicy || undefined,
    orphanDependents: booleanParameter(query, 'orphanDependents'),
    dryRun: query.dryRun ? [query.dryRun] : undefined,
  };
}

function fromBody(body: unknown): RawOptions {
  if (!isObject(body)) throw badRequest('the body of a DELETE must be a DeleteOptions object');
  if (body.kind !== undefined && body.kind !== 'DeleteOptions') {
    throw badRequest('decoded object cannot be converted to DeleteOptions');
  }
  return body;
}

function typed<T>(value: unknown, test: (value: unknown) => value is T, field: string, type: string): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (!test(value)) throw badRequest(`DeleteOptions: ${field} must be ${type}`);
  return value;
}

const isInteger = (value: unknown): value is number => Number.isInteger(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

const policies: readonly string[] = ['Foreground', 'Background', 'Orphan'];

function isPropagation(value: string | undefined): value is Propagation {
  return value !== undefined && policies.includes(value);
}

/**
 * DeleteOptions of a request: the body, or the query when there is none. Negative grace counts as 1 second.
 * @throws ApiError BadRequest, Invalid
 */
export function deleteOptions(query: Query, body: unknown): DeleteOptions {
  const raw = body === undefined || body === null ? fromQuery(query) : fromBody(body);
  const policy = typed(raw.propagationPolicy, isText, 'propagationPolicy', 'a string');
  const orphan = typed(raw.orphanDependents, isBoolean, 'orphanDependents', 'a boolean');
  const dryRun = typed(raw.dryRun, isTexts, 'dryRun', 'a list of strings') ?? [];
  const preconditions = typed(raw.preconditions, isObject, 'preconditions', 'an object') ?? {};
  const grace = typed(raw.gracePeriodSeconds, isInteger, 'gracePeriodSeconds', 'a whole number');
  const errors: FieldError[] = [];
  const field = 'propagationPolicy';
  if (orphan !== undefined && policy !== undefined) {
    const message = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
    errors.push({ field, reason: 'FieldValueInvalid', message });
  }
  if (policy !== undefined && !isPropagation(policy)) {
    const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`;
    errors.push({ field, reason: 'FieldValueNotSupported', message });
  }
  errors.push(...dryRunErrors(dryRun));
  if (errors.length > 0) invalidOptions('DeleteOptions', errors);
  const explicit = isPropagation(policy) ? policy : undefined;
  return {
    gracePeriodSeconds: grace !== undefined && grace < 0 ? 1 : grace,
    propagation: orphan === undefined ? explicit : orphan ? 'Orphan' : 'Background',
    uid: typed(preconditions.uid, isText, 'preconditions.uid', 'a string'),
    resourceVersion: typed(preconditions.resourceVersion, isText, 'preconditions.resourceVersion', 'a string'),
    dryRun: dryRun.length > 0,
    orphanDependentsFalse: orphan === false,
  };
}
